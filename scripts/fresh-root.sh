# A Debian 12 of its own in a folder, for the tests of the packages. Sourced; it defines functions and does nothing by itself.
#
# Nothing of this machine is mounted into it, and whatever is mounted in it is so in a namespace that ends with the command: removing
# the folder cannot reach anything else.

# make_root DIR  unpacks a fresh root. The first call makes .build/fresh-root.tar with debootstrap.
make_root() {
  local archive=$PWD/.build/fresh-root.tar
  if [ ! -s "$archive" ]; then
    echo "== making $archive with debootstrap" >&2
    mkdir -p .build
    # What an installation on a Raspberry Pi has, and no more; not one of the libraries that the programs need.
    debootstrap --variant=minbase --include=systemd-sysv,dbus,udev,iproute2,procps,ca-certificates bookworm "$1.new" \
      "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$1.debootstrap.log" 2>&1 || {
      tail -5 "$1.debootstrap.log" >&2
      remove_root "$1.new"
      return 69
    }
    tar -C "$1.new" --one-file-system -cf "$archive.new" . && mv "$archive.new" "$archive"
    remove_root "$1.new"
  fi
  mkdir -p "$1"
  tar -C "$1" -xpf "$archive"
}

# remove_root DIR  refuses while anything is mounted below it, and crosses no border.
remove_root() {
  case $1 in
    /*/?*) ;;
    *) echo "not removing '$1'" >&2; return 1 ;;
  esac
  [ -e "$1" ] && [ ! -L "$1" ] || return 0
  local place
  place=$(realpath "$1")
  if cut -d' ' -f5 /proc/self/mountinfo | grep -qF "$place/"; then
    echo "something is mounted below $place: not removed" >&2
    return 1
  fi
  rm -rf --one-file-system "$place"
}

# in_root DIR COMMAND...  runs a command there with processes, mounts and devices of its own; IN_ROOT=--net also with a network of its own.
in_root() {
  local place=$1
  shift
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child ${IN_ROOT:+"$IN_ROOT"} sh -euc '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"
    for device in "null 3" "zero 5" "full 7" "random 8" "urandom 9"; do
      mknod -m 666 "$root/dev/${device% *}" c 1 "${device#* }"
    done
    mknod -m 666 "$root/dev/tty" c 5 0
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive "$@"
  ' sh "$place" "$@"
}

# other_version FILE VERSION DIR  the same package under another version.
other_version() {
  local tree
  tree=$(mktemp -d)
  dpkg-deb -R "$1" "$tree/package"
  sed -i "s/^Version: .*/Version: $2/" "$tree/package/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$tree/package" "$3" >/dev/null
  rm -rf --one-file-system "$tree"
}
