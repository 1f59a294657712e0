# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors of usage, in one sentence and with exit status 2; and --help, -V"""
import pytest
from conftest import rows

from report import command

NO_JOB = "job: '{}': not a job id like 7, 5_1 or 7+1"
NO_TASKS = "job: '{}': not tasks of an array like 5_[1-3,7], or more than 1000"
SITE = "--site: of all jobs: only --starttime, --endtime, --limit, --json, --csv and --html go with it"
FAULTS = [
    *[(["report", "--", word], NO_JOB.format(word))
      for word in ("x", "7x", "0", "-1", "7_", "7_x", "99999999999", "7+")],
    *[(["report", word], NO_TASKS.format(word))
      for word in ("5_[1-3", "5_[3-1]", "5_[]", "5_[x]", "5_[1-2000]", "5_[1]x", "_[1]",
                   "5_[4294967294-4294967296]")],
    *[(["report", *words], "not a word that sacct takes") for words in (
        ["--user=-x"], ["--user=a b"], ["--account=x;y"], ["-S--help"], ["-Enow now"], ["--starttime=a&b"])],
    *[(["report", "--site", word], SITE) for word in (
        "7", "--user=alice", "--account=lab", "--state=FAILED", "--sort=read", "--restart=1", "--verbose")],
    *[(["cores", word], "") for word in (
        "--core-spec=x", "--core-spec=-1", "--thread-spec=", "--format=xml", "--slurm-version=22", "--nosuch",
        "--allow-spec-resources-usage=maybe", "word", "--topology=", "--slurm-version=19.05",
        "--task-plugin-param=", "--node=CPUs=x", "--node=Cores=4", "--node=CPUs=4 RestrictedCoresPerGPU=x")],
    *[(["plan", word], "") for word in (
        "--max=0", "--max=x", "--os-cpus=", "--os-cpus=3-1", "--nosuch", "--format=yaml")],
    *[(["check", word], "") for word in (
        "--nosuch", "word", "--format=xml", "--client-cpus=x", "--slurm-version=x", "--root=/nosuch",
        "--slurmd=slurmd", "--slurm-version=26.11", "--conf=", "--host=")],
    *rows("""
        report 5_1.batch | job: '5_1.batch': a step; what is counted is the whole job: 5_1
        report --json --csv 5 | --json and --csv exclude each other
        report --advice=some 7 | --advice: 'some': must be all or none
        report --jobs=, | job: '': not a job id like 7, 5_1 or 7+1
        report -j '' | --jobs: '': must not be empty
        report , | job: '': not a job id like 7, 5_1 or 7+1
        report --state=DONE | --state: 'DONE': not a state like COMPLETED, FAILED or TO
        report --sort=size | --sort: 'size': must be end, start, name, user, state, elapsed, nodes, profile, read or written
        report --limit=0 | --limit: '0': not a number from 1 to 100000
        report -u alice 7 | --user, --account, --starttime, --endtime, --state, --sort and --limit are for lists: name no job
        report --restart=1 | --restart: of which job?
        report --format=jobi | --format: 'jobi': no such column; did you mean jobid?
        report --nosuch | '--nosuch': no such option; see jobio report --help
        report --limit | argument --limit: expected one argument; see jobio report --help
        report --s=1 | ambiguous option: --s=1 could match --starttime, --state, --sort, --site; see jobio report --help
        report --site --html=x --csv | --html: without --json and --csv
        advise | of which job? one, as in jobio advise 7
        advise 7 8 | of which job? one, as in jobio advise 7
        advise --options --json 7 | --options and --json exclude each other
        advise '7_[1-2]' | job: '7_[1-2]': several: name one of its tasks
        advise x | job: 'x': not a job id like 7, 5_1 or 7+1
        compare 600 | two jobs, or two lists of them; see jobio compare --help
        compare 600 x | job: 'x': not a job id like 7, 5_1 or 7+1
        compare 600 , | which job?
        cores --core-spec=1 --thread-spec=1 | --core-spec and --thread-spec exclude each other
        cores --core-spec=1 --core-spec=2 | --core-spec: given twice
        cores --slurmd-parameters=config_overrides,l3_cache | --slurmd-parameters: 'l3_cache': not a word of SlurmdParameters
        cores --slurm-version=26.11 | --slurm-version: '26.11': must be from 22.05 to 26.05
        cores --node= | --node: '': must not be empty
        plan --packed --spread | --packed and --spread exclude each other
        plan --max=1 --os-cpus=1 | give one of --max=N and --os-cpus=LIST
        report 7;-ls | job: '7;-ls': not a job and its cluster like 101;c1
        report --clusters=-x 7 | --clusters: '-x': not a word that sacct takes
        check --topology=/nosuch.xml | --topology: '/nosuch.xml': there is no such file, or it cannot be read
        check --role=nod | --role: 'nod': expected login, node, ctld or ledger
        """)]


@pytest.mark.parametrize("args, said", FAULTS, ids=[" ".join(args) or "-" for args, _ in FAULTS])
def test_bad_usage_is_one_sentence(args, said, capfd):
    assert command.main(args) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(f"jobio: {args[0]}: ") and said in err and err.count("\n") == 1


@pytest.mark.parametrize("args, said", rows("""
    repotr | 'repotr': no such command; did you mean 'jobio report'?
    qqq | 'qqq': no such command; see jobio --help
    """))
def test_commands_are_named_and_one_that_is_mistyped_is_guessed(args, said, capfd):
    assert command.main(args) == 2
    assert capfd.readouterr() == ("", f"jobio: {said}\n")


def test_without_a_command_all_are_printed(capfd):
    assert command.main([]) == 2
    out, err = capfd.readouterr()
    assert err == "" and all(f"  {name} " in out for name in command.COMMANDS)


@pytest.mark.parametrize("name", command.COMMANDS)
def test_each_command_has_help(name, capfd):
    texts = set()
    for args in ([name, "--help"], [name, "-h"], ["help", name]):
        assert command.main(args) == 0
        texts.add(capfd.readouterr().out)
    assert len(texts) == 1 and texts.pop().startswith(f"usage: jobio {name}")


@pytest.mark.parametrize("word", ["-h", "--help", "help"])
def test_help_names_the_commands(word, capfd):
    assert command.main([word]) == 0
    out = capfd.readouterr().out
    assert out.startswith("usage: jobio COMMAND [OPTION]...") and all(name in out for name in command.COMMANDS)
