/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the store on MariaDB. */
#include "ledger/maria.h"
#include "ledger/store_site.h"

#define SCHEMA_VERSION 2

static const char *const schema[] = {
	"CREATE TABLE IF NOT EXISTS runs( id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, cluster VARBINARY(255) NOT NULL, job BIGINT NOT NULL, uid BIGINT NOT NULL, seq BIGINT NOT NULL, restart BIGINT, array_job BIGINT, array_task BIGINT, het_job BIGINT, het_offset BIGINT, first DOUBLE NOT NULL, last DOUBLE NOT NULL, nodelist MEDIUMBLOB, nodes_seen BIGINT NOT NULL, nodes_expected BIGINT, version BIGINT NOT NULL, dirty TINYINT NOT NULL, next_try BIGINT NOT NULL, tries BIGINT NOT NULL DEFAULT 0, summary BLOB, written BIGINT NOT NULL DEFAULT 0, error BLOB, brief BLOB, merged MEDIUMBLOB, claimed_by VARBINARY(300), claimed_until BIGINT NOT NULL DEFAULT 0, due BIGINT AS (IF(dirty, next_try, NULL)) STORED, UNIQUE KEY runs_by_job(job, cluster, uid, seq), KEY runs_by_array(array_job, array_task), KEY runs_by_het(het_job, het_offset), KEY runs_due(due), KEY runs_by_age(last)) ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS records( run BIGINT NOT NULL, node VARBINARY(255) NOT NULL, received BIGINT NOT NULL, text MEDIUMBLOB NOT NULL, PRIMARY KEY(run, node)) ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS schema_version( one TINYINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL) ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	SITE_RUN_TABLE("VARBINARY(1024)", " ENGINE=InnoDB DEFAULT CHARACTER SET binary"),
	SITE_DAY_TABLE("VARBINARY(1024)", " ENGINE=InnoDB DEFAULT CHARACTER SET binary"),
	SITE_RUN_INDEX,
	SITE_GATE_INDEX,
	"INSERT IGNORE INTO schema_version(one, version) VALUES(1, 2)",
	NULL
};

int maria_make_schema(void *arg, struct err *err)
{
	struct maria *m = arg;
	static const char sql[] = "SELECT version FROM schema_version";
	int64_t version = -1;
	size_t i;
	int rc;

	rc = mariadb_query(m->db, sql, NULL, err);
	if (rc < 0 && !mariadb_is_missing(m->db))
		return -1;
	if (rc == 0 && (rc = mariadb_row(m->db, err)) > 0)
		version = mariadb_number(m->db, 0);
	if (version == SCHEMA_VERSION)
		return 0;
	if (version >= 0)
		return err_set(err,
			       "store: MariaDB: the schema was made by another version of jobio");
	for (i = 0; schema[i]; i++)
		if (maria_run_text(m, schema[i], err) < 0)
			return -1;
	return 0;
}
