import { expect, test } from 'vitest';
import { type AccountChoice, chooseAccount } from './account.ts';

const root = { uid: 0, gid: 0 };
const passwd = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n';

function choose(choice: Partial<AccountChoice>) {
  return chooseAccount({ self: root, path: '/srv/db', directoryOwner: root, passwd, ...choice });
}

test('[DB-EMB5] a user who is not root runs the server', () => {
  const self = { uid: 1000, gid: 100 };
  expect(choose({ self })).toEqual({ uid: 1000, gid: 100, dropped: false });
  expect(choose({ self, dataOwner: self })).toEqual({ uid: 1000, gid: 100, dropped: false });
});

test("[DB-EMB5] root's server runs as the owner of the data, else of the directory, else as an account for it", () => {
  const dataOwner = { uid: 5, gid: 6 };
  const directoryOwner = { uid: 7, gid: 8 };
  expect(choose({ dataOwner, directoryOwner })).toEqual({ ...dataOwner, dropped: true });
  expect(choose({ directoryOwner })).toEqual({ ...directoryOwner, dropped: true });
  expect(choose({})).toEqual({ uid: 65534, gid: 65533, dropped: true });
  const withPostgres = `${passwd}postgres:x:101:104::/:/bin/sh\n`;
  expect(choose({ passwd: withPostgres })).toEqual({ uid: 101, gid: 104, dropped: true });
  const withOurs = `${withPostgres}seaplane:x:500:501::/:/bin/sh\n`;
  expect(choose({ passwd: withOurs })).toEqual({ uid: 500, gid: 501, dropped: true });
});

test('[DB-EMB12] data of another user, data of root, and a system with no account for it are explained', () => {
  expect(() => choose({ self: { uid: 1000, gid: 1000 }, dataOwner: { uid: 101, gid: 101 } })).toThrow(
    'The database files in /srv/db belong to the user with id 101, and this is the user with id 1000.',
  );
  expect(() => choose({ dataOwner: root })).toThrow('belong to root, and PostgreSQL does not run as root');
  expect(() => choose({ passwd: 'nobody:x:0:0::/:/bin/sh\n' })).toThrow('no account named seaplane, postgres, nobody');
});
