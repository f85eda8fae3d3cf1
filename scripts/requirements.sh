# Installs what a script of this folder needs, on Debian 12 and its relatives. Sourced, with the package as working
# directory: it defines functions and does nothing by itself. Quick when everything is there.

# What building takes. The list of Package.swift, plus what SwiftPM itself calls.
BUILD_PACKAGES="libavahi-client-dev libgps-dev libssl-dev libserialport-dev libsystemd-dev git ca-certificates"
# What running a whole link on one machine takes.
RUN_PACKAGES="avahi-daemon dbus dbus-daemon gpsd gpsd-clients iproute2 procps util-linux python3"
# What building Debian packages takes beyond that.
PACKAGE_PACKAGES="dpkg-dev binutils xz-utils"
# What benchmarks compare with.
BENCHMARK_PACKAGES="socat"
# What independent judges of our formats take; systemd for what it says about the units (it need not run).
JUDGE_PACKAGES="python3-venv systemd"
# Names on PyPI: MAVLink, keyed archives, DNS-SD and ground stations by other people.
# pymavlink is pinned: the generated code is compared with its descriptions word by word. mavsdk has another interface
# before version 4.
JUDGE_MODULES="pymavlink==2.4.50 bpylist2 zeroconf mavsdk>=4"
# MAVProxy for the terminal needs only these; with all that its package asks for, windows included, it is 600 MB.
JUDGE_MODULES_ALONE="MAVProxy pyserial"

# require_packages NAME...  installs the missing ones of these Debian packages, or says how.
require_packages() {
  missing=
  for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case $state in ii*) ;; *) missing="$missing $package" ;; esac
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "missing packages; as root: apt-get install$missing" >&2
    return 69
  fi
  echo "== installing:$missing" >&2
  # Without systemd Debian's packages would start their daemons by the old init scripts, and those would stay.
  policy=
  if [ ! -d /run/systemd/system ] && [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod 755 "$policy"
  fi
  result=0
  {
    apt-get -o DPkg::Lock::Timeout=300 -q update \
      && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y \
        --no-install-recommends install $missing
  } >&2 || result=69
  [ -z "$policy" ] || rm -f "$policy"
  return $result
}

# require_judges  makes the Python environment of the tests and names its interpreter in DRONE_TEST_PYTHON.
require_judges() {
  DRONE_TEST_PYTHON=$PWD/.build/python/bin/python
  export DRONE_TEST_PYTHON
  # By looking, not importing: importing pymavlink takes a second.
  probe='import importlib.metadata as m, sys
try: sys.exit(not all(m.version(name) for name in ("pymavlink", "bpylist2", "zeroconf", "MAVProxy", "pyserial")) or m.version("mavsdk") < "4")
except m.PackageNotFoundError: sys.exit(1)'
  if [ -x "$DRONE_TEST_PYTHON" ] && "$DRONE_TEST_PYTHON" -c "$probe"; then return 0; fi
  echo "== making .build/python with $JUDGE_MODULES $JUDGE_MODULES_ALONE" >&2
  mkdir -p .build
  python3 -m venv .build/python || return 69
  pip=".build/python/bin/python -m pip install -q --disable-pip-version-check"
  # shellcheck disable=SC2086
  $pip $JUDGE_MODULES >&2 && $pip --no-deps $JUDGE_MODULES_ALONE >&2 || return 69
}

# require_swift  says what is missing when there is no compiler.
require_swift() {
  if ! command -v swift >/dev/null; then
    echo "swift is not in PATH; install Swift 6.2 or later from https://swift.org/install" >&2
    return 69
  fi
}
