import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '@seaplane/dev-toolchain/run.ts';

/** A network namespace from which only some API servers can be reached, as from a machine outside of their clusters. */
export interface OutsideNetwork extends AsyncDisposable {
  /** This machine reaches it there. */
  readonly address: string;
  /** The words to put before a command so that it runs there. */
  readonly inside: readonly string[];
}

const POLL_MS = 10;

/**
 * Makes the namespace. Other packets are dropped without an answer, as on the way to an address that is not routed. The
 * namespace is held by a process that dies with this one; the kernel then removes devices and rules with the namespace.
 */
export async function openOutsideNetwork(servers: readonly URL[]): Promise<OutsideNetwork> {
  const holder = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'unshare', '--net', '--', 'sleep', 'infinity'], {
    detached: true, // a Ctrl-C in the terminal is for us to act on
    stdio: 'ignore',
  });
  const ended = once(holder, 'exit');
  const dispose = async () => {
    holder.kill('SIGKILL');
    await ended;
  };
  try {
    const pid = String(holder.pid);
    const ours = await networkOf('self');
    while ((await networkOf(pid)) === ours) await sleep(POLL_MS);
    const inside = ['nsenter', '-t', pid, '--net', '--'];
    const [here, there] = addresses();
    const device = `spout${randomBytes(4).toString('hex')}`;
    await run('ip', ['link', 'add', device, 'type', 'veth', 'peer', 'name', 'uplink', 'netns', pid]);
    await run('ip', ['addr', 'add', `${here}/30`, 'dev', device]);
    await run('ip', ['link', 'set', device, 'up']);
    for (const words of [
      'ip link set lo up',
      `ip addr add ${there}/30 dev uplink`,
      'ip link set uplink up',
      `ip route add default via ${here}`,
      'iptables -w -P OUTPUT DROP',
      'iptables -w -A OUTPUT -o lo -j ACCEPT',
      'iptables -w -A OUTPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT',
      ...servers.map(
        ({ hostname, port }) => `iptables -w -A OUTPUT -p tcp -d ${hostname} --dport ${port || 443} -j ACCEPT`,
      ),
    ]) {
      const [program = '', ...args] = [...inside, ...words.split(' ')];
      await run(program, args);
    }
    return { address: there, inside, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Both ends of a link, of a range that development clusters do not use. */
function addresses(): [string, string] {
  const [third, fourth] = [randomInt(256), 4 * randomInt(64)];
  return [`10.201.${third}.${fourth + 1}`, `10.201.${third}.${fourth + 2}`];
}

/** Undefined while there is no such process. */
async function networkOf(pid: string): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/net`).catch(() => undefined);
}
