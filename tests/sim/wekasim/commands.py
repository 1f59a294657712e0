# SPDX-License-Identifier: GPL-2.0-or-later
"""commands - the `weka` command line, as the 4.4 and 6.x references have it.

dispatch() takes what the command line process sent and returns
(exit status, standard output, standard error). It runs in the agent.
"""
import json
import time

from . import resources, show
from .knobs import cpulist
from .node import WekaError

NOT_LOGGED_IN = 41      # weka/tools ta scripts
USAGE = 2
HANG_POLL_S = 0.05

# options that every command knows; the value says whether it takes a value
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
    """Words and options of one command; 'flags' and 'values' are its own."""

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
        self.tty = sent.get("tty", False)
        self.cwd = sent.get("cwd", "/")
        self.gone = gone    # has the caller hung up?
        self.out = []
        self.err = []

    def print(self, text):
        self.out.append(text)

    def args(self, words, flags=None, values=None):
        legacy = self.env.get("WEKA_CLI_LEGACY") == "1"
        return Args(words, flags, values, self.node.knobs.is6() and not legacy)

    def fault(self, name):
        """hang: never answer while the knob stands; fail: an error."""
        knobs = self.node.knobs
        while name in knobs["faults.hang"] or "*" in knobs["faults.hang"]:
            if self.gone():
                raise WekaError("the caller is gone")
            time.sleep(HANG_POLL_S)
            knobs.load()
        if name in knobs["faults.fail"] or "*" in knobs["faults.fail"]:
            raise WekaError("error: Internal error: request failed",
                            32 if name in ("mount", "remount", "umount")
                            else 1)


def dispatch(node, sent, gone):
    call = Call(node, sent, gone)
    node.knobs.load()
    if node.knobs.error:
        return 70, "", "weka-sim: %s\n" % node.knobs.error
    if node.knobs["time.command_ms"]:
        time.sleep(node.knobs["time.command_ms"] / 1000.0)
    try:
        name = run(call)
        rc = 0
    except WekaError as e:
        name = "error"
        rc = e.rc
        call.err.append(e.text + "\n")
    out = "".join(call.out)
    garbage = node.knobs["faults.garbage"]
    if name in garbage or ("*" in garbage and rc == 0):
        out = out[:len(out) // 2]
    return rc, out, "".join(call.err)


def run(call):
    """Returns the command's name, as the fault knobs call it."""
    words = call.argv
    first = words[0] if words else ""
    if first in ("-h", "--help", ""):
        call.print("Usage: weka [options] [command]\n")
        return "help"
    if first in ("-v", "--version"):
        call.print("CLI %s\n" % call.node.knobs["client.version"])
        return "version"
    if first == "local":
        return run_local(call, words[1:])
    table = {"mount": run_mount, "umount": run_umount, "version": run_version}
    if first in table:
        return table[first](call, words[1:])
    return run_cluster(call, words)


# ---- weka version --------------------------------------------------------
def run_version(call, words):
    call.fault("version")
    args = call.args(words)
    version = call.node.knobs["client.version"]
    if args.json():
        call.print(show.dump([{"version": version, "current": True}]))
    elif args.words == ["current"]:
        call.print(version + "\n")
    else:
        call.print("* %s\n" % version)
    return "version"


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
    return name


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
    return "umount"


def absolute(call, path):
    if not path.startswith("/"):
        path = call.cwd.rstrip("/") + "/" + path
    return path.rstrip("/") or "/"


# ---- weka local ----------------------------------------------------------
def run_local(call, words):
    table = {"ps": local_ps, "status": local_status,
             "resources": local_resources, "start": local_start,
             "stop": local_stop, "restart": local_restart, "rm": local_rm,
             "setup": local_setup, "monitoring": local_monitoring,
             "enable": local_enable, "disable": local_enable,
             "events": local_events}
    # global options may stand before the sub-command
    head = [w for w in words if not w.startswith("-")]
    if not head or head[0] not in table:
        raise WekaError("error: unknown command 'local %s'"
                        % (head[0] if head else ""), USAGE)
    rest = list(words)
    rest.remove(head[0])
    call.fault(head[0] if head[0] != "resources" else resources_name(rest))
    return table[head[0]](call, rest, head[0]) or head[0]


def selected(call, args):
    """The named containers (as words or by -C), or all of them."""
    names = args.words + args.list("container")
    node = call.node
    if names:
        return [node.container(name) for name in names]
    return [node.state["containers"][n]
            for n in sorted(node.state["containers"])]


def local_ps(call, words, _):
    args = call.args(words, values={"-C": "container",
                                    "--container": "container",
                                    "-f": "format"})
    containers = selected(call, args)
    if call.node.knobs["client.containerless"]:
        containers = []
    is6 = call.node.knobs.is6()
    if args.json():
        call.print(show.dump([show.container_json(call.node, c)
                              for c in containers]))
        return
    try:
        header, rows = show.ps_rows(containers, args.list("output"), is6)
    except ValueError as e:
        raise WekaError("error: unknown column '%s'" % e, USAGE)
    shape = show.csv if args.one("format") == "csv" else show.table
    call.print(shape(header, rows, "no-header" not in args))


def local_status(call, words, _):
    args = call.args(words, {"-v": "verbose", "--verbose": "verbose"},
                     {"-t": "type", "--type": "type", "-C": "container",
                      "--container": "container"})
    containers = selected(call, args)
    if args.json():
        call.print(show.status_json(call.node, containers))
    else:
        call.print(show.status_text(call.node, containers,
                                    "verbose" in args))


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
RESOURCES_SUB = ("cores", "apply", "restore", "export", "import",
                 "non-datapath-cores")


def resources_name(words):
    for word in words:
        if word in RESOURCES_SUB:
            return word
    return "resources"


def local_resources(call, words, _):
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
        return "resources"
    if sub not in RESOURCES_SUB:
        raise WekaError("error: unknown command 'local resources %s'" % sub,
                        USAGE)
    globals()["resources_" + sub.replace("-", "_")](call, args, container)
    return sub


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
    confirm(call, args, "This will restart the container on this host and "
            "cannot be undone")
    call.node.apply(container, "graceful" in args)


def confirm(call, args, text):
    """Without --force it asks; nobody answers when there is no terminal."""
    if "force" in args:
        return
    if call.tty and call.env.get("WEKA_CLI_NO_INTERACTIVE") != "1":
        call.print("%s. Proceed? [yes/no]: \n" % text)
    raise WekaError("error: %s: confirmation needed, use --force" % text)


def resources_non_datapath_cores(call, args, container):
    """6.x; the key is that of weka-operator's resourcedoc.go."""
    with call.node.lock:
        container["staged"]["non_datapath_cores"] = [
            int(word) for word in args.words]
        call.node.publish()


def resources_restore(call, args, container):
    call.node.restore(container)


def resources_export(call, args, container):
    if len(args.words) != 1:
        raise WekaError("error: export: a path is needed", USAGE)
    shape = container["stable" if "stable" in args else "staged"]
    try:
        with open(absolute(call, args.words[0]), "w") as f:
            f.write(show.dump(shape))
    except OSError as e:
        raise WekaError("error: %s: %s" % (args.words[0], e.strerror))


def resources_import(call, args, container):
    if len(args.words) != 1:
        raise WekaError("error: import: a path is needed", USAGE)
    confirm(call, args, "This will replace the staged resources")
    try:
        with open(absolute(call, args.words[0])) as f:
            shape = json.load(f)
        cores = [core for _, core in resources.frontends(shape)]
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise WekaError("error: %s: not resources: %s" % (args.words[0], e))
    call.node.check_ids(cores)
    with call.node.lock:
        container["staged"] = shape
        call.node.publish()


FAMILY_FLAGS = {"-f": "force", "--force": "force", "-g": "graceful",
                "--graceful": "graceful", "--all": "all"}
FAMILY_VALUES = {"-w": "wait", "--wait-time": "wait", "--reason": "reason",
                 "--type": "type", "-C": "container",
                 "--container": "container"}


def family(call, words, action):
    args = call.args(words, FAMILY_FLAGS, FAMILY_VALUES)
    for container in selected(call, args):
        lock = call.node.operation(container["name"])
        try:
            action(container, args)
        finally:
            lock.release()


def local_start(call, words, _):
    def action(container, args):
        if container["disabled"]:
            raise WekaError("error: Container '%s' is disabled"
                            % container["name"])
        if container["phase"] == "stopped":
            call.node.start(container)
    family(call, words, action)


def local_stop(call, words, _):
    def action(container, args):
        mounts = call.node.mounts_of(container)
        if mounts and "force" not in args:
            raise WekaError("error: Container '%s' has %d active mounts: "
                            "unmount them or use --force"
                            % (container["name"], len(mounts)))
        call.node.stop(container, "graceful" in args)
    family(call, words, action)


def local_restart(call, words, _):
    if "-f" in words and not call.node.knobs.is6():
        raise WekaError("error: unrecognized option '-f'", USAGE)

    def action(container, args):
        call.node.restart(container, "graceful" in args)
    family(call, words, action)


def local_rm(call, words, _):
    def action(container, args):
        if call.node.mounts_of(container):
            raise WekaError("error: Container '%s' has active mounts"
                            % container["name"])
        if container["phase"] != "stopped" and "force" not in args:
            raise WekaError("error: Container '%s' is running: stop it first "
                            "or use --force" % container["name"])
        call.node.remove(container)
    family(call, words, action)


def local_monitoring(call, words, _):
    args = call.args(words)
    if not args.words or args.words[0] not in ("start", "stop"):
        raise WekaError("error: monitoring: start or stop", USAGE)
    on = args.words.pop(0) == "start"
    for container in selected(call, args):
        container["monitoring"] = on
    call.node.publish()


def local_enable(call, words, name):
    for container in selected(call, call.args(words)):
        container["disabled"] = name == "disable"
    call.node.publish()


def local_events(call, words, _):
    args = call.args(words)
    rows = [dict(event, container=c["name"]) for c in selected(call, args)
            for event in c["events"]]
    if args.json():
        call.print(show.dump(rows))
    else:
        call.print(show.table(["CONTAINER", "TYPE", "TEXT"], [
            [r["container"], r["type"], r["text"]] for r in rows]))


def local_setup(call, words, _):
    """A persistent ("stateful") client: `weka local setup client`; and the
    containers that serve, `weka local setup container --only-drives-cores`."""
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


# ---- the cluster's commands ----------------------------------------------
CLUSTER = ("status", "cluster", "stats", "fs", "user", "events", "alerts",
           "nfs", "s3", "org", "security", "upgrade", "smb")


def run_cluster(call, words):
    node = call.node
    args = call.args(words, {"--per-process": "per-process",
                             "--per-node": "per-process",
                             "--accumulated": "accumulated", "-Z": "no-zeros"},
                     {"-C": "connect-timeout",
                      "--CONNECT-TIMEOUT": "connect-timeout",
                      "--category": "category", "--stat": "stat",
                      "--process-ids": "process-ids",
                      "--start-time": "start-time", "--end-time": "end-time",
                      "--resolution-secs": "resolution",
                      "--interval": "interval", "--container": "container"})
    path = args.words
    if not path or path[0] not in CLUSTER:
        raise WekaError("error: unknown command '%s'"
                        % (path[0] if path else ""), USAGE)
    call.fault(path[0])
    if path[:2] == ["user", "login"]:
        if path[3:4] != [node.knobs["cluster.password"]]:
            raise WekaError("error: Authentication failed: invalid user or "
                            "password")
        node.state["login"] = True
        node.save()
        return "user"
    if path[:2] == ["user", "logout"]:
        node.state["login"] = False
        node.save()
        return "user"
    if not (node.state["login"] or node.knobs["cluster.logged_in"]):
        raise WekaError("error: You are not logged in. Use `weka user login`",
                        NOT_LOGGED_IN)
    logged_in(call, path, args)
    return path[0]


def logged_in(call, path, args):
    from . import stats
    node = call.node
    if path[0] == "status":
        clients = sum(1 for c in node.state["containers"].values()
                      if c["phase"] == "READY")
        call.print(show.dump({
            "status": "OK", "io_status": "STARTED", "hanging_ios": {},
            "release": node.knobs["client.version"],
            "containers": {"active": 6 + clients, "total": 6 + clients,
                           "clients": {"active": clients,
                                       "total": clients}}})
                   if args.json() else "WekaIO v%s\n  status: OK\n"
                   % node.knobs["client.version"])
    elif path[0] == "stats" and path[1:2] == ["realtime"]:
        call.print(show.dump(stats.realtime(node)))
    elif path[0] == "stats":
        call.print(show.dump(stats.history(node, args.list("stat"))))
    elif path[0] == "cluster" and path[1:2] and path[1] in (
            "process", "processes", "node", "nodes"):
        rows = show.processes_json(node)
        if args.json():
            call.print(show.dump(rows))
        else:
            call.print(show.table(
                ["PROCESS ID", "HOSTNAME", "CONTAINER", "IPS", "STATUS",
                 "ROLES"],
                [[r["node_id"], node.hostname(),
                  r["node_info"]["container_name"],
                  ",".join(r["node_info"]["mgmt_ips"]), r["status"],
                  ",".join(r["roles"])] for r in rows]))
    else:
        raise WekaError("error: the stand-in has no cluster behind 'weka %s'"
                        % " ".join(path))
