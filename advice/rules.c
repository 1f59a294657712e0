/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/rules.h"

#include "advice/calls.h"
#include "advice/course.h"
#include "advice/setup.h"

/* Where thresholds were measured; jobio-advice(7) says it at length. */
#define WEKA_CORE                                                                                  \
	"WEKA, one client on one core: 5.73 GB/s read, 6.93 written, 144,533 "                     \
	"and 98,904 calls of 4 KiB a second (2018, E5-2683v4, EDR)"
#define LUSTRE_DIRECT                                                                              \
	"Lustre 2.15.4, one client: 4 KiB direct, 153 us a write, 148 us a "                       \
	"read"
#define DRISHTI_BYTES "Drishti (config.py): 30 % more bytes than the others"
#define WEKA_DIRECT                                                                                \
	"WEKA's guide: forcedirect for throughput, not for small I/O and "                         \
	"metadata"
const struct rule rules[] = {
	{ "A01", ADVICE_LIKELY, false, calls_small_reads,
	  "read 1 MiB at a time: open(path, buffering=2**20), setvbuf(), dd bs=1M; or copy the input to $TMPDIR first",
	  WEKA_CORE },
	{ "A02", ADVICE_LIKELY, false, calls_small_writes,
	  "write 1 MiB at a time: open(path, 'w', buffering=2**20), setvbuf(), dd bs=1M",
	  WEKA_CORE },
	{ "A03", ADVICE_LIKELY, false, calls_direct_small,
	  "sbatch without this --io-profile; sbatch --io-profile=list shows those with a cache",
	  WEKA_DIRECT },
	{ "A04", ADVICE_LIKELY, false, calls_direct_metadata,
	  "sbatch without this --io-profile; sbatch --io-profile=list shows those for metadata",
	  WEKA_DIRECT },
	{ "A05", ADVICE_LIKELY, false, calls_cached_stream,
	  "sbatch --io-profile=list shows one with forcedirect, often stream", WEKA_DIRECT },
	{ "A06", ADVICE_LIKELY, false, calls_few_processes,
	  "srun --ntasks-per-node=16, or as many threads that read and write",
	  "WEKA, one client: 30 jobs of one request each to fill it; 24 to 30 threads in the guide" },
	{ "A07", ADVICE_LIKELY, false, calls_many_synchronous,
	  "libaio or io_uring (fio --ioengine=libaio --iodepth=32), or srun --ntasks-per-node=16",
	  "Lustre, 4 KiB random: synchronous is flat beyond 16 jobs" },
	{ "A08", ADVICE_LIKELY, false, calls_fsync,
	  "one fsync at the end of a file; SQLite: PRAGMA synchronous=OFF; dd conv=fsync, not oflag=sync",
	  LUSTRE_DIRECT },
	{ "A09", ADVICE_LIKELY, false, calls_stat,
	  "list a folder once (os.scandir(), ls -U, find -printf), not stat() file by file",
	  "Storage Scale: 20,000 stat a second on a node; 56,000 are the most (io500)" },
	{ "A10", ADVICE_LIKELY, false, calls_lookup, CALLS_SEARCH_CURE, LUSTRE_DIRECT },
	{ "A11", ADVICE_LIKELY, false, calls_open_append, "open the file once and keep it open",
	  LUSTRE_DIRECT },
	{ "A12", ADVICE_LIKELY, false, calls_tiny_written,
	  "write into one file (HDF5, SQLite), or in $TMPDIR, and then tar -cf RESULT.tar -C $TMPDIR .",
	  LUSTRE_DIRECT },
	{ "A13", ADVICE_LIKELY, false, calls_tiny_read,
	  "tar -xf INPUT.tar -C $TMPDIR at the start of the job, and read there", LUSTRE_DIRECT },
	{ "A14", ADVICE_PERHAPS, false, calls_one_folder,
	  "a folder for each task: mkdir -p out/$SLURM_PROCID",
	  "io500, 199 nodes: 28,300 creates a second in one folder, 3,163,900 in many" },
	{ "A15", ADVICE_PERHAPS, false, calls_mapped,
	  "read() large pieces; or madvise(MADV_SEQUENTIAL), numpy.load() without mmap_mode",
	  "Lustre 2.15.4: 64 MiB a call moves 510 times as much as 4 KiB a call" },
	{ "A16", ADVICE_LIKELY, false, calls_deleted,
	  "export TMPDIR=/tmp, or the site's node-local disk, for scratch files",
	  "Drishti (config.py): 10 % of operations, at least 1,000" },
	{ "A17", ADVICE_PERHAPS, false, calls_lustre_buffered,
	  "O_DIRECT for large writes: dd oflag=direct, fio --direct=1",
	  "Lustre 2.15.4, one client, 64 MiB: 13,053 MiB/s direct, 3,874 buffered" },
	{ "A18", ADVICE_SURE, false, calls_nfs_ceiling,
	  "move these files to the parallel filesystem",
	  "NFS over RDMA: about 250,000 calls a second, of any version and number of jobs" },
	{ "A19", ADVICE_LIKELY, false, calls_more_than_asked,
	  "posix_fadvise(POSIX_FADV_RANDOM) for random reads; fewer files at a time",
	  "WEKA's sizing guide: 30 % of headroom" },
	{ "A20", ADVICE_SURE, true, setup_no_profile, "jobio report -v shows an administrator why",
	  "the record" },
	{ "A21", ADVICE_SURE, true, setup_cores_unmet,
	  "sbatch without --io-cores, until jobio cores says that they are the client's",
	  "the record" },
	{ "A22", ADVICE_LIKELY, false, setup_core_bytes, "", WEKA_CORE },
	{ "A23", ADVICE_LIKELY, false, setup_core_calls, "", WEKA_CORE },
	{ "A24", ADVICE_LIKELY, false, setup_cores_idle, "sbatch without --io-cores", WEKA_CORE },
	{ "A25", ADVICE_LIKELY, false, setup_one_core, "", WEKA_CORE },
	{ "A26", ADVICE_LIKELY, true, setup_one_node,
	  "I/O on every node: MPI-IO, or ROMIO's cb_config_list=*:1; else sbatch -N 1",
	  DRISHTI_BYTES },
	{ "A27", ADVICE_LIKELY, true, setup_imbalance,
	  "the same number of files or bytes for each node: MPI-IO with cb_config_list=*:1",
	  DRISHTI_BYTES },
	{ "A28", ADVICE_LIKELY, true, setup_slow_node, "",
	  "Lustre routers: 1.4 GB/s across sockets, 5 GB/s beside the card" },
	{ "A29", ADVICE_SURE, false, setup_resent,
	  "nfsstat -rc; for an administrator: the switch's and the card's counters",
	  "client finding NF08, jobio-prepare(8); its threshold is there" },
	{ "A40", ADVICE_LIKELY, false, course_tail,
	  "write while it computes: after each step, from a thread of its own, MPI_File_iwrite_all()",
	  "the summary's word tail, jobio-ledgerd(8); Drishti (config.py): 10 % of the time" },
	{ 0 }
};
