/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel parameters and a module option with which Lenovo and WEKA measured
 * their best latencies: polling cores lose microseconds to sleep states, to a
 * clock that is read slowly, to page migration and to an SMBus interrupt.
 */
#include "report/doctor_host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/doctor_state.h"

/* What the kernel says that it does counts more than what it was told. */
struct parameter {
	const char *text;
	bool intel_only;
	enum doctor_state (*state)(const struct doctor_now *now);
};

static const struct parameter parameters[] = {
	{ "clocksource=tsc", false, doctor_clock },
	{ "tsc=reliable", false, doctor_clock },
	{ "nomodeset", false, doctor_graphics },
	{ "intel_iommu=off", true, doctor_iommu },
	{ "intel_idle.max_cstate=0", true, doctor_idle },
	{ "processor.max_cstate=0", false, doctor_idle },
	{ "numa_balancing=disable", false, doctor_balancing },
};

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		bool begins = at == text || strchr(" \t\n", at[-1]);

		if (begins && strchr(" \t\n", at[length]))
			return true;
		at += length;
	}
	return false;
}

static void check_command_line(const struct doctor *doctor, const struct doctor_now *now)
{
	char *line = doctor_read(doctor, "/proc/cmdline");
	char missing[ERR_MAX] = "";

	for (size_t i = 0; line && i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		size_t used = strlen(missing);

		if ((parameters[i].intel_only && now->vendor != VENDOR_INTEL) ||
		    has_word(line, parameters[i].text) || parameters[i].state(now) != STATE_UNKNOWN)
			continue;
		snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? " " : "",
			 parameters[i].text);
	}
	if (*missing)
		findings_add(
			doctor->findings, "K01", FINDING_WARNING, missing,
			"the kernel was started without %s: a client that polls loses time to sleep states, slow clocks or page migration",
			missing);
	free(line);
}

static bool option_is_written(const struct doctor *doctor)
{
	bool written = false;
	glob_t found;
	size_t count = doctor_glob(doctor, "/etc/modprobe.d/*.conf", &found);

	for (size_t i = 0; i < count && !written; i++) {
		char *text = doctor_read(doctor, found.gl_pathv[i] + strlen(doctor->root));
		const char *at = text ? strstr(text, "\noptions i2c_i801 ") : NULL;

		if (text && !strncmp(text, "options i2c_i801 ", 17))
			at = text;
		written = at && strstr(at, "disable_features=0x10");
		free(text);
	}
	globfree(&found);
	return written;
}

/* Only where the driver is loaded: it is Intel's SMBus controller. */
static void check_smbus(const struct doctor *doctor)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/module/i2c_i801", doctor->root);
	if (access(path, F_OK) < 0 || option_is_written(doctor))
		return;
	findings_add(
		doctor->findings, "K02", FINDING_WARNING,
		"options i2c_i801 disable_features=0x10 in /etc/modprobe.d/i2c_i801.conf",
		"the SMBus driver i2c_i801 is loaded with its interrupt: it takes time from the cores that poll");
}

void doctor_host(const struct doctor *doctor)
{
	struct doctor_now now;

	doctor_read_state(doctor, &now);
	check_command_line(doctor, &now);
	check_smbus(doctor);
	doctor_say_state(doctor, &now);
}
