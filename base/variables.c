/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/variables.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"
#define BLANKS " \t"

/* Denied names; '*' at the end matches any rest. */
static const char *const denied[] = {
	/* select the program, for bash(1), ld.so(8) and libc */
	"PATH", "IFS", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "BASH_*", "LD_*", "GLIBC_*",
	"GCONV_PATH", "LOCPATH", "HOSTALIASES",
	/* user, and directories */
	"HOME", "SHELL", "USER", "LOGNAME", "PWD", "OLDPWD",
	/* Slurm's, and those of an MPI */
	"SLURM*", "SBATCH*", "SALLOC*", "SRUN*", "SPANK*", "_SLURM*", "PMI*", "JOBIO_*", NULL
};

static bool is_denied(const char *name)
{
	const char *const *at = denied;
	size_t length;

	for (; *at; at++) {
		length = strlen(*at);
		if ((*at)[length - 1] == '*' ? !strncmp(name, *at, length - 1) : !strcmp(name, *at))
			return true;
	}
	return false;
}

/* Parse the word that begins here. Return false if it is no variable. */
static bool split(const char *word, size_t length, struct variable *variable)
{
	size_t name = strspn(word, LETTERS DIGITS), value;

	if (!name || name > VARIABLE_NAME_MAX || name >= length || word[name] != '=' ||
	    strchr(DIGITS, *word))
		return false;
	value = strspn(word + name + 1, LETTERS DIGITS "./:,@+=-");
	if (!value || name + 1 + value != length || value >= sizeof(variable->value))
		return false;
	TEXT_SET_PART(variable->name, word, name);
	TEXT_SET_PART(variable->value, word + name + 1, value);
	return true;
}

bool variable_next(const char **list, struct variable *variable)
{
	size_t length;

	*list += strspn(*list, BLANKS);
	length = strcspn(*list, BLANKS);
	if (!length || !split(*list, length, variable))
		return false;
	*list += length;
	return true;
}

/* Return how often the name is in the list. */
static int count(const char *list, const char *name)
{
	struct variable other;
	int found = 0;

	while (variable_next(&list, &other))
		found += !strcmp(other.name, name);
	return found;
}

int variables_check(const char *list, char word[VARIABLES_MAX], struct err *err)
{
	const char *at = list;
	struct variable variable;

	for (;;) {
		at += strspn(at, BLANKS);
		if (!*at)
			return 0;
		snprintf(word, VARIABLES_MAX, "%.*s", (int)strcspn(at, BLANKS), at);
		if (!variable_next(&at, &variable))
			return err_set(err,
				       "expected NAME=VALUE, of letters, digits and _./:,@+=-");
		if (is_denied(variable.name))
			return err_set(
				err,
				"%s is not for a profile to set: it decides what runs, or is Slurm's",
				variable.name);
		if (count(list, variable.name) > 1)
			return err_set(err, "%s is set twice", variable.name);
	}
}
