#!/usr/bin/env bash
# Starts an S3-compatible server for tests: Ceph's radosgw with one monitor and one object store in memory, from the Debian
# packages radosgw, ceph-mon, ceph-osd and ceph-common. Installs nothing. Runs as the caller, or as nobody when that is root.
#   scripts/radosgw.sh start FOLDER [PID]   makes FOLDER anew, prints "ready PORT"; access key testkey, secret testsecret;
#                                           with PID, stops by itself when that process is gone
#   scripts/radosgw.sh stop FOLDER          ends the processes and removes FOLDER
set -euo pipefail

command=${1:-}
folder=${2:-}
watched=${3:-}
if [[ ! $command =~ ^(start|stop)$ || -z $folder ]]; then
  echo "usage: $0 start FOLDER [PID] | stop FOLDER" >&2
  exit 2
fi

stop() {
  local name pid
  for name in rgw osd mon; do
    pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$folder"
}
if [ "$command" = stop ]; then
  stop
  exit
fi

for tool in radosgw radosgw-admin ceph-mon ceph-osd ceph-authtool monmaptool ceph; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 3; }
done

as=()
mkdir -p "$folder"
rm -rf "${folder:?}"/*
mkdir -p "$folder"/{mon,osd,rgw,run,log}
if [ "$(id -u)" = 0 ]; then
  chown -R nobody "$folder"
  as=(setpriv --reuid nobody --clear-groups --)
fi
run() { ${as[@]+"${as[@]}"} "$@"; }
trap 'stop; echo "radosgw did not start" >&2' ERR

free_port() { node -e 'const s=require("net").createServer();s.listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
port=$(free_port)
mon_port=$(free_port)
fsid=$(cat /proc/sys/kernel/random/uuid)
osd_id=$(cat /proc/sys/kernel/random/uuid)
conf=$folder/ceph.conf
keys=$folder/keyring

cat >"$conf" <<CONF
[global]
fsid = $fsid
mon host = v2:127.0.0.1:$mon_port/0
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false
keyring = $keys
run dir = $folder/run
admin socket = $folder/run/\$name.\$pid.asok
log file = $folder/log/\$name.log
mon data = $folder/mon
osd data = $folder/osd
osd objectstore = memstore
memstore device bytes = 1073741824
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon max pg per osd = 2000
mon allow pool size one = true
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
ms bind msgr1 = false
# Without these two the start takes six times as long.
paxos propose interval = 0.02
paxos min wait = 0.01
mon tick interval = 1
debug mon = 0
debug osd = 0
debug rgw = 0
debug ms = 0
rgw data = $folder/rgw
rgw frontends = beast endpoint=127.0.0.1:$port
rgw dynamic resharding = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw run sync thread = false
CONF

# Runs a server in the background, detached from our pipes.
serve() {
  local name=$1
  shift
  # Not by run(): the process id must be the server's own.
  ${as[@]+"${as[@]}"} "$@" -c "$conf" --keyring "$keys" -f >"$folder/log/$name.out" 2>&1 </dev/null &
  echo $! >"$folder/$name.pid"
}

{
  run ceph-authtool --create-keyring "$keys" --gen-key -n mon. --cap mon 'allow *'
  run ceph-authtool "$keys" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
  run ceph-authtool "$keys" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
  run ceph-authtool "$keys" --gen-key -n client.rgw.a --cap mon 'allow rw' --cap osd 'allow rwx'
  run monmaptool --create --fsid "$fsid" --addv a "[v2:127.0.0.1:$mon_port]" "$folder/monmap"
  run ceph-mon -i a --mkfs --monmap "$folder/monmap" --keyring "$keys" -c "$conf" --mon-data "$folder/mon"
  serve mon ceph-mon -i a --mon-data "$folder/mon" --public-addr "v2:127.0.0.1:$mon_port"
  # The store must be made with the very id that the monitor was told.
  run timeout 60 ceph -c "$conf" osd new "$osd_id"
  run ceph-osd -i 0 -c "$conf" --mkfs --osd-uuid "$osd_id" --osd-data "$folder/osd" --keyring "$keys"
  run timeout 60 ceph -c "$conf" osd crush add osd.0 1.0 root=default host=localhost || true
  serve osd ceph-osd -i 0 --osd-data "$folder/osd"
  serve rgw radosgw -n client.rgw.a
  for _ in $(seq 600); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.1
  done
  run timeout 60 radosgw-admin -c "$conf" user create --uid=kindred --display-name=kindred \
    --access-key=testkey --secret-key=testsecret
} >"$folder/log/start.out" 2>&1
if [ -n "$watched" ]; then
  setsid bash -c 'while kill -0 "$2" 2>/dev/null; do sleep 1; done; exec "$0" stop "$1"' \
    "$(realpath "$0")" "$folder" "$watched" >/dev/null 2>&1 </dev/null &
fi
echo "ready $port"
