import pg from 'pg';
import { expect, test } from 'vitest';
import { explainLostConnection, isConnectionLost } from './connection-lost.ts';

function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('said by the server', 0, 'error'), { code });
}

test.each([
  ['refuses connections', Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' })],
  ['is gone from its socket', Object.assign(new Error('connect'), { code: 'ENOENT', syscall: 'connect' })],
  ['is starting', databaseError('57P03')],
  ['is read-only since a fail-over', databaseError('25006')],
  ['has no space left', databaseError('53100')],
  ['cancelled the statement', databaseError('57014')],
  ['does not answer', new Error('Query read timeout')],
  ['ended the connection', new Error('Connection terminated unexpectedly')],
])('[DB-SAFE5] a server that %s is a lost connection', (_, error) => {
  expect(isConnectionLost(explainLostConnection(error))).toBe(true);
});

test.each([
  ['refuses a statement', databaseError('23505')],
  ['was asked wrongly', new TypeError('values must be an array')],
])('[DB-SAFE5] a server that %s is not', (_, error) => {
  expect(explainLostConnection(error)).toBe(error);
});
