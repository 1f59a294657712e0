# SPDX-License-Identifier: GPL-2.0-or-later
"""commands - the `weka` command line, by the 4.4 and 6.x references.

dispatch() gets the message of the command line process and returns
(exit status, standard output, standard error). It runs in the agent.
"""
import time

from . import resources, show
from .knobs import cpulist
from .node import WekaError

USAGE = 2
HANG_POLL_S = 0.05

# options of every command; those of GLOBAL_VALUE take a value
GLOBAL = {"-J": "json", "--json": "json", "-R": "raw", "--raw-units": "raw",
          "-U": "utc", "--UTC": "utc", "-v": "verbose",
          "--verbose": "verbose", "--no-header": "no-header", "-h": "help",
          "--help": "help"}
GLOBAL_VALUE = {"--format": "format", "-o": "output", "--output": "output",
                "-s": "sort", "--sort": "sort", "-F": "filter",
                "--filter": "filter", "--color": "color", "-H": "host",
                "--HOST": "host", "-P": "port", "--PORT": "port",
                "-T": "timeout", "--TIMEOUT": "timeout", "--profile":
                "profile"}
ONLY_LEGACY = ("-U", "-v", "-o", "-s", "-F", "-H", "-P", "-T")


class Args:
    """Words and options of one command; 'flags' and 'values' are options of this command."""

    def __init__(self, words, flags=None, values=None, is6=False):
        self.words = []
        self.options = {}
        known = dict(GLOBAL)
        known.update(flags or {})
        valued = dict(GLOBAL_VALUE)
        valued.update(values or {})
        if is6:
            for name in ONLY_LEGACY:
                if name not in (flags or {}) and name not in (values or {}):
                    known.pop(name, None)
                    valued.pop(name, None)
        queue = list(words)
        while queue:
            word = queue.pop(0)
            name, eq, value = word.partition("=")
            if word == "--":
                self.words.extend(queue)
                break
            if not word.startswith("-") or word == "-":
                self.words.append(word)
            elif word in known:
                self.options[known[word]] = True
            elif name in valued:
                if not eq:
                    if not queue:
                        raise WekaError("error: option '%s' needs a value"
                                        % name, USAGE)
                    value = queue.pop(0)
                self.options.setdefault(valued[name], []).append(value)
            elif not word.startswith("--") and word[:2] in valued:
                self.options.setdefault(valued[word[:2]], []).append(word[2:])
            elif not word.startswith("--") and len(word) > 2 and all(
                    "-" + c in known for c in word[1:]):
                for c in word[1:]:
                    self.options[known["-" + c]] = True
            else:
                raise WekaError("error: unrecognized option '%s'" % word,
                                USAGE)

    def __contains__(self, name):
        return name in self.options

    def one(self, name, default=None):
        return self.options[name][-1] if name in self.options else default

    def list(self, name):
        out = []
        for text in self.options.get(name, []):
            out.extend(p for p in text.replace(",", " ").split() if p)
        return out

    def json(self):
        return "json" in self or self.one("format") == "json"


class Call:
    """One command as it was sent: argv, environment, terminal, connection."""

    def __init__(self, node, sent, gone):
        self.node = node
        self.argv = sent["argv"]
        self.env = sent.get("env", {})
        self.cwd = sent.get("cwd", "/")
        self.gone = gone    # true if the caller has closed the connection
        self.out = []
        self.err = []

    def print(self, text):
        self.out.append(text)

    def args(self, words, flags=None, values=None):
        legacy = self.env.get("WEKA_CLI_LEGACY") == "1"
        return Args(words, flags, values, self.node.knobs.is6() and not legacy)

    def fault(self, name):
        """Do not answer while the knob is set."""
        knobs = self.node.knobs
        while name in knobs["faults.hang"] or "*" in knobs["faults.hang"]:
            if self.gone():
                raise WekaError("the caller is gone")
            time.sleep(HANG_POLL_S)
            knobs.load()


def dispatch(node, sent, gone):
    call = Call(node, sent, gone)
    node.knobs.load()
    if node.knobs.error:
        return 70, "", "weka-sim: %s\n" % node.knobs.error
    if node.knobs["time.command_ms"]:
        time.sleep(node.knobs["time.command_ms"] / 1000.0)
    rc = 0
    try:
        run(call)
    except WekaError as e:
        rc = e.rc
        call.err.append(e.text + "\n")
    return rc, "".join(call.out), "".join(call.err)


def run(call):
    words = call.argv
    table = {"local": run_local, "mount": run_mount, "umount": run_umount,
             "version": run_version}
    if not words or words[0] not in table:
        raise WekaError("error: unknown command '%s'" % " ".join(words[:1]),
                        USAGE)
    table[words[0]](call, words[1:])


# ---- weka version --------------------------------------------------------
def run_version(call, words):
    call.fault("version")
    call.print("* %s\n" % call.node.knobs["client.version"])


# ---- weka mount, weka umount ---------------------------------------------
def run_mount(call, words):
    args = call.args(words, {"-f": "fake", "-n": "no-mtab", "-s": "sloppy"},
                     {"-o": "mount-options", "--option": "mount-options",
                      "-t": "type", "-N": "namespace"})
    if len(args.words) != 2:
        raise WekaError("usage: weka mount <source> <target> [-o options]",
                        USAGE)
    text = ",".join(args.options.get("mount-options", []))
    name = "remount" if "remount" in text.split(",") else "mount"
    call.fault(name)
    if "fake" not in args:
        source, target = args.words
        call.node.mount(source, absolute(call, target), text)


def run_umount(call, words):
    args = call.args(words, {"-f": "force", "--force": "force", "-l": "lazy",
                             "--lazy": "lazy", "-r": "read-only",
                             "-n": "no-mtab"},
                     {"-t": "type", "-N": "namespace"})
    if len(args.words) != 1:
        raise WekaError("usage: weka umount <target> [-l] [-f]", USAGE)
    call.fault("umount")
    call.node.umount(absolute(call, args.words[0]), "lazy" in args,
                     "force" in args)


def absolute(call, path):
    if not path.startswith("/"):
        path = call.cwd.rstrip("/") + "/" + path
    return path.rstrip("/") or "/"


# ---- weka local ----------------------------------------------------------
def run_local(call, words):
    table = {"ps": local_ps, "resources": local_resources,
             "setup": local_setup}
    # global options may stand before the sub-command
    head = [w for w in words if not w.startswith("-")]
    if not head or head[0] not in table:
        raise WekaError("error: unknown command 'local %s'"
                        % (head[0] if head else ""), USAGE)
    rest = list(words)
    rest.remove(head[0])
    call.fault(head[0] if head[0] != "resources" else resources_name(rest))
    table[head[0]](call, rest)


def local_ps(call, words):
    call.args(words)
    node = call.node
    containers = [] if node.knobs["client.containerless"] else [
        show.container_json(node, container)
        for _, container in sorted(node.state["containers"].items())]
    call.print(show.dump(containers))


RESOURCES_FLAGS = {
    "-f": "force", "--force": "force", "-g": "graceful",
    "--graceful": "graceful", "--stable": "stable", "--staging": "staging",
    "--only-frontend-cores": "only-frontend", "--no-frontends": "no-frontends",
    "--only-compute-cores": "no-frontends", "--allow-mix-setting": "mix",
    "--only-drives-cores": "no-frontends"}
RESOURCES_VALUES = {
    "-C": "container", "--container": "container", "--core-ids": "core-ids",
    "--frontend-dedicated-cores": "frontend-cores",
    "--drives-dedicated-cores": "drives-cores",
    "--compute-dedicated-cores": "compute-cores"}
RESOURCES_SUB = ("cores", "apply", "restore", "non-datapath-cores")


def resources_name(words):
    for word in words:
        if word in RESOURCES_SUB:
            return word
    return "resources"


def local_resources(call, words):
    values = dict(RESOURCES_VALUES)
    if call.node.knobs.is6():
        values["--timeout"] = "wait"    # of apply
    args = call.args(words, RESOURCES_FLAGS, values)
    node = call.node
    sub = args.words.pop(0) if args.words else ""
    container = node.container(args.one("container"))
    if not sub:
        shape = container["stable" if "stable" in args else "staged"]
        call.print(show.dump(shape) if args.json()
                   else show.resources_text(shape))
        return
    if sub not in RESOURCES_SUB:
        raise WekaError("error: unknown command 'local resources %s'" % sub,
                        USAGE)
    globals()["resources_" + sub.replace("-", "_")](call, args, container)


def resources_cores(call, args, container):
    if len(args.words) != 1 or not args.words[0].isdigit():
        raise WekaError("error: cores: one number is needed", USAGE)
    count = int(args.words[0])
    if "no-frontends" in args or args.one("frontend-cores", str(count)) != \
            str(count):
        raise WekaError("error: a client container has frontend cores only")
    try:
        ids = [c for text in args.options.get("core-ids", [])
               for c in cpulist(text)]
    except ValueError:
        raise WekaError("error: --core-ids: not a list of numbers", USAGE)
    call.node.stage_cores(container, count, ids)


def resources_apply(call, args, container):
    if "force" not in args:
        raise WekaError("error: This will restart the container on this host "
                        "and cannot be undone: confirmation needed, use "
                        "--force")
    call.node.apply(container, "graceful" in args)


def resources_non_datapath_cores(call, args, container):
    """6.x; the key is that of weka-operator's resourcedoc.go."""
    with call.node.lock:
        container["staged"]["non_datapath_cores"] = [
            int(word) for word in args.words]
        call.node.publish()


def resources_restore(call, args, container):
    call.node.restore(container)


def local_setup(call, words):
    """A persistent ("stateful") client: `weka local setup client`; and
    backend containers, `weka local setup container --only-drives-cores`."""
    args = call.args(words, {"--no-start": "no-start", "--restricted":
                             "restricted", "--disable": "disable",
                             "--only-frontend-cores": "only-frontend",
                             "--only-drives-cores": "DRIVES",
                             "--only-compute-cores": "COMPUTE",
                             "--client": "client",
                             "--allow-mix-setting": "mix"}, {
        "-n": "name", "--name": "name", "--cores": "cores", "--core-ids":
        "core-ids", "--net": "net", "--join-ips": "join-ips", "--memory":
        "memory", "--base-port": "base-port", "--management-ips":
        "management-ips", "--frontend-dedicated-cores": "frontend-cores",
        "--failure-domain": "failure-domain", "--timeout": "wait"})
    if args.words not in (["client"], ["container"]):
        raise WekaError("error: setup: client or container", USAGE)
    node = call.node
    name = args.one("name", "client")
    if name in node.state["containers"]:
        raise WekaError("error: Container '%s' exists" % name)
    ids = [int(c) for c in args.list("core-ids")]
    cores = ids or [resources.AUTO] * int(args.one("cores", "1"))
    node.check_ids(cores)
    shape = resources.new(int(args.one("base-port", "0")) or node.next_port(),
                          node.hostname(), args.list("join-ips"))
    role = next((r for r in ("DRIVES", "COMPUTE") if r in args), "FRONTEND")
    shape = resources.with_cores(shape, cores, role=role)
    shape = resources.with_nets(shape, args.list("net"))
    from . import options
    container = node.create(name, True, shape, options.default_stateless())
    node.publish()
    if "no-start" not in args:
        lock = node.operation(name)
        try:
            node.start(container)
        finally:
            lock.release()
