#!/bin/sh
# Actors that spawn, send, fail, stop and move at random, for a day or as many hours as it is told:
#
#   lab/soak.sh [HOURS]
#
# Each hour is a JVM of its own that ends with the exact audit. The first one that fails ends it all.
set -eu
cd "$(dirname "$0")/.."
hours=${1:-24}
case $hours in
  *[!0-9]* | 0*)
    echo "lab/soak.sh [HOURS]: a whole number of hours, at least 1, is allowed, not $hours" >&2
    exit 2
    ;;
esac
hour=1
while [ "$hour" -le "$hours" ]; do
  echo "hour $hour of $hours"
  ./mill --ticker false lab.bench.runMain undercroft.lab.bench.Endurance L1 3600
  hour=$((hour + 1))
done
