import { setTimeout as sleep } from 'node:timers/promises';
import { MOVE_SIGNAL } from '../place/web-slot.ts';
import { at } from '../random.ts';
import type { Fault } from './fault.ts';

/** A build that three webs held when they died, one after another, is not given to a fourth. */
const DEADLY = [/^this build was ended because 3 webs in a row died soon after they took it/];

/** A web dies and comes back. */
export const webKilled: Fault = {
  kind: 'web-killed',
  causes: DEADLY,
  async inject({ webs }, { aim, lengthMs }) {
    const web = at(webs, aim);
    if (!(await web.kill())) return undefined;
    const healed = sleep(lengthMs).then(() => web.start());
    return { what: `${web.name}, for ${lengthMs} ms`, builds: 'all', healed };
  },
};

/** All webs die at once. */
export const websKilled: Fault = {
  kind: 'webs-killed',
  causes: DEADLY,
  async inject({ webs }, { lengthMs }) {
    if (!(await Promise.all(webs.map((web) => web.kill()))).some(Boolean)) return undefined;
    const healed = sleep(lengthMs).then(async () => void (await Promise.all(webs.map((web) => web.start()))));
    return { what: `all webs, for ${lengthMs} ms`, builds: 'all', healed };
  },
};

/** A web sleeps, as a virtual machine does that is moved, and goes on. */
export const webStopped: Fault = {
  kind: 'web-stopped',
  causes: [],
  async inject({ webs }, { aim, lengthMs }) {
    const web = at(webs, aim);
    if (!web.signal('SIGSTOP')) return undefined;
    const healed = sleep(lengthMs * 3).then(() => void web.signal('SIGCONT'));
    return { what: `${web.name}, for ${lengthMs * 3} ms`, builds: 'none', healed };
  },
};

/** The clock of a web jumps an hour ahead, and later back again. */
export const clockMoved: Fault = {
  kind: 'clock-moved',
  causes: [],
  async inject({ webs }, { aim, lengthMs }) {
    const web = at(webs, aim);
    if (!web.signal(MOVE_SIGNAL)) return undefined;
    const healed = sleep(lengthMs * 2).then(() => void web.signal(MOVE_SIGNAL));
    return { what: `${web.name}, an hour ahead for ${lengthMs * 2} ms`, builds: 'none', healed };
  },
};
