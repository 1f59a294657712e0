# SPDX-License-Identifier: GPL-2.0-or-later
"""options - mount options: where each may be set, and which a remount keeps.

Facts: mounting-filesystems (docs 4.4) has the tables "general" and "stateless
clients". On remount, general options that are left out fall back to their
defaults, stateless options that are left out keep their value, `opt=default`
resets a stateless one. core, num_cores and net are remountable from 5.x on.
"""

CACHE = ("writecache", "readcache", "forcedirect")
ATIME = ("relatime", "noatime", "strictatime")
MASKS = ("file_create_mask", "directory_create_mask", "force_file_mode",
         "force_directory_mode")
FLAGS = ("nosuid", "nodev", "noexec", "sync_on_close", "obs_direct",
         "verbose", "quiet", "acl")
# general options with a value, and their defaults
VALUES = {"dentry_max_age_positive": "1000", "dentry_max_age_negative": "0",
          "inode_bits": "auto", "relatime_threshold": ""}
# stateless: default, minimum, remountable
STATELESS = {
    "memory_mb": ("1400", 0, True),
    "remove_after_secs": ("3600", 60, True),
    "traces_capacity_mb": ("", 512, False),
    "reserve_1g_hugepages": ("true", None, True),
    "readahead_kb": ("32768", 0, True),
    "dedicated_mode": ("full", None, False),
    "qos_preferred_throughput_mbps": ("0", 0, True),
    "qos_max_throughput_mbps": ("0", 0, True),
    "qos_max_ops": ("0", 0, True),
    "connect_timeout_secs": ("10", 0, True),
    "response_timeout_secs": ("60", 0, True),
    "join_timeout_secs": ("360", 0, True),
    "dpdk_base_memory_mb": ("0", 0, True),
    "auth_token_path": ("", None, False),
    "weka_version": ("", None, False),
    "restricted": ("", None, False),
    "mgmt_ip": ("", None, False),
}
# words of mount(8) and systemd that are not passed to the file system
FOREIGN = ("defaults", "_netdev", "noauto", "auto", "nofail", "suid", "dev",
           "exec", "async", "user", "users", "default_permissions",
           "allow_other", "rw", "ro", "remount", "nosync_on_close", "lazytime")
FOREIGN_PREFIX = ("x-", "user_id=", "group_id=", "blksize=", "max_read=",
                  "comment=", "fsname=", "subtype=")


class OptionError(Exception):
    pass


class Request:
    """The options of one -o list, without defaults."""

    def __init__(self, text):
        self.cores = []
        self.num_cores = None
        self.nets = []
        self.remount = False
        self.container = None
        self.stateless = {}
        self.general = {}
        for word in text.split(","):
            if word:
                self._word(word)

    def _word(self, word):
        name, eq, value = word.partition("=")
        if name == "remount":
            self.remount = True
        elif name in ("rw", "ro"):
            self.general["rw"] = name
        elif name in CACHE and not eq:
            self.general["cache"] = name
        elif name in ATIME and not eq:
            self.general["atime"] = name
        elif name == "nosync_on_close":
            self.general["sync_on_close"] = False
        elif name in ("suid", "dev", "exec"):
            self.general["no" + name] = False
        elif name in FLAGS and not eq:
            self.general[name] = True
        elif name in VALUES or name in MASKS:
            self._value(name, value)
        elif name == "container_name":
            self.container = value
        elif name == "core":
            self.cores.append(self._number(word, value))
        elif name == "num_cores":
            self.num_cores = self._number(word, value)
        elif name == "net" or name.startswith("net:"):
            self.nets.append(word[len("net="):] if name == "net" else word)
        elif name in STATELESS:
            self._stateless(name, value)
        elif name not in FOREIGN and not word.startswith(FOREIGN_PREFIX):
            raise OptionError("unknown mount option '%s'" % word)

    @staticmethod
    def _number(word, value):
        if not value.isdigit():
            raise OptionError("invalid value in mount option '%s'" % word)
        return int(value)

    def _value(self, name, value):
        if name.startswith("dentry_max_age"):
            self._number("%s=%s" % (name, value), value)
        self.general[name] = value

    def _stateless(self, name, value):
        low = STATELESS[name][1]
        if low is not None and value != "default":
            if self._number("%s=%s" % (name, value), value) < low:
                raise OptionError("mount option '%s=%s': the minimum is %d"
                                  % (name, value, low))
        self.stateless[name] = value

    def asks_cores(self):
        return bool(self.cores or self.num_cores is not None or self.nets)


def default_general():
    out = {"rw": "rw", "cache": "writecache", "atime": "relatime"}
    out.update(VALUES)
    return out


def mounted(request):
    """General options of a new mount."""
    out = default_general()
    out.update(request.general)
    return out


def remounted(old, request):
    """General options after a remount: options that are not named return to
    their default; inode_bits and acl cannot be remounted and stay."""
    out = mounted(request)
    for name in ("inode_bits", "acl"):
        out.pop(name, None)
        if name in old:
            out[name] = old[name]
    return out


def merge_stateless(old, request, remount):
    """Values of the container after a mount with these options."""
    out = dict(old)
    for name, value in request.stateless.items():
        default, _, remountable = STATELESS[name]
        if remount and not remountable:
            continue
        if value == "default":
            out[name] = default
        elif value or name == "restricted":
            out[name] = value or "true"
    return out


def default_stateless():
    return {name: row[0] for name, row in STATELESS.items()}


def driver_words(general, readahead, container, scmc=True):
    """The option part of /proc/wekafs/interface (a capture of csi-wekafs)."""
    out = [general["cache"]]
    for name in FLAGS[3:]:
        if general.get(name):
            out.append(name)
    out.append("inode_bits=%s" % general["inode_bits"])
    out.append("readahead_kb=%s" % readahead)
    for name in ("dentry_max_age_positive", "dentry_max_age_negative"):
        out.append("%s=%s" % (name, general[name]))
    if general.get("relatime_threshold"):
        out.append("relatime_threshold=%s" % general["relatime_threshold"])
    for name in MASKS:
        if general.get(name):
            out.append("%s=%s" % (name, general[name]))
    if scmc:
        out.append("container_name=%s" % container)
    return out


def table_words(general, readahead, container, scmc=True):
    """The option field of /proc/mounts: exactly one cache word, never cores,
    net, qos or memory (captures of csi-wekafs)."""
    out = [general["rw"]]
    for name in FLAGS[:3]:
        if general.get(name):
            out.append(name)
    out.append(general["atime"])
    return ",".join(out + driver_words(general, readahead, container, scmc))
