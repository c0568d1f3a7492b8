import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guardJournal } from '../journal/guarded-journal.ts';
import { newSecrets } from '../secrets/secrets.ts';
import { manualClock, quiet } from '../testing/manual-clock.ts';
import { emptyJournal, type JournalContents, memoryJournal } from '../testing/memory-journal.ts';
import { OutputLog } from './output-log.ts';

function fixture(contents: JournalContents = emptyJournal()) {
  const clock = manualClock();
  const secrets = newSecrets();
  const journal = memoryJournal(contents);
  const log = new OutputLog({ clock, journal, secrets, planId: '1' });
  const write = (text: string | Uint8Array, stream: 'stdout' | 'stderr' = 'stdout') =>
    log.write(stream, typeof text === 'string' ? Buffer.from(text) : text);
  return { clock, contents, secrets, journal, log, write };
}

function payloads({ events }: JournalContents, source?: 'stdout' | 'stderr'): string[] {
  return events.flatMap(({ event, data }) =>
    event === 'log' && (!source || data.origin.source === source) ? [data.payload] : [],
  );
}

describe('output of a process', () => {
  test('[ENG-OUT1] goes into the log line by line, at once, and moves the position past them', async () => {
    const { contents, log, write } = fixture();
    await write('one\ntwo\nthr');
    await quiet();
    expect(payloads(contents)).toEqual(['one\ntwo\n']);
    expect(contents.positions.get('1')).toEqual({ stdout: 8, stderr: 0 });
    await write('ee\n');
    await log.flush();
    expect(payloads(contents)).toEqual(['one\ntwo\n', 'three\n']);
    expect(contents.events[0]?.data).toMatchObject({ origin: { id: '1', source: 'stdout' }, time: 1767225600 });
  });

  test('[ENG-OUT2] holds an unfinished line back, but not for ever', async () => {
    const { clock, contents, write } = fixture();
    await write('Password: ');
    await clock.advance(600);
    await write('(hidden) ');
    await clock.advance(399);
    expect(payloads(contents)).toEqual([]);
    await clock.advance(1);
    expect(payloads(contents)).toEqual(['Password: (hidden) ']);
  });

  test('[ENG-OUT2] does not wait for the end of a very long line', async () => {
    const { contents, write } = fixture();
    await write('x'.repeat(70_000));
    await quiet();
    expect(payloads(contents).join('')).toHaveLength(70_000);
  });

  test('[ENG-OUT2] writes what it held back when flushed', async () => {
    const { contents, log, write } = fixture();
    await write('no newline');
    await log.flush();
    expect(payloads(contents)).toEqual(['no newline']);
  });

  test('[ENG-OUT3] never cuts a character in two', async () => {
    const { clock, contents, log, write } = fixture();
    const bytes = Buffer.from('1 \u20ac');
    await write(bytes.subarray(0, 3));
    await clock.advance(1000);
    expect(payloads(contents)).toEqual(['1 ']);
    expect(contents.positions.get('1')).toEqual({ stdout: 2, stderr: 0 });
    await write(bytes.subarray(3));
    await log.flush();
    expect(payloads(contents)).toEqual(['1 ', '\u20ac']);
  });

  test('[ENG-OUT3] replaces bytes that are not UTF-8, and counts them', async () => {
    const { contents, log, write } = fixture();
    await write(Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82));
    await log.flush();
    expect(payloads(contents).join('')).toBe('a\ufffdb\n\ufffd');
    expect(contents.positions.get('1')).toEqual({ stdout: 6, stderr: 0 });
  });

  test('[ENG-OUT4] redacts secrets, also one that comes in pieces', async () => {
    const { clock, contents, log, secrets, write } = fixture();
    secrets.track('hunter2');
    await write('it is hun');
    await clock.advance(1000);
    expect(payloads(contents)).toEqual(['it is ']);
    await write('ter2!\nhunter2\n');
    await log.flush();
    expect(payloads(contents).join('')).toBe('it is ((redacted))!\n((redacted))\n');
    expect(contents.positions.get('1')).toEqual({ stdout: 23, stderr: 0 });
  });

  test('[ENG-OUT4] redacts a secret that ends as it begins, also when its line is not finished', async () => {
    const { clock, contents, log, secrets, write } = fixture();
    secrets.track('Xy7X');
    await write('it is Xy7X');
    await clock.advance(1000);
    await log.flush();
    expect(payloads(contents).join('')).toBe('it is ((redacted))');
  });

  test('[ENG-OUT4] redacts a secret that is not UTF-8, and counts its bytes', async () => {
    const { clock, contents, log, secrets, write } = fixture();
    const bytes = Uint8Array.of(0x61, 0xff, 0xff, 0x62, 0x63);
    secrets.track(Buffer.from(bytes).toString());
    await write('1 ');
    await write(bytes.subarray(0, 4));
    await clock.advance(1000);
    expect(contents.positions.get('1')).toEqual({ stdout: 2, stderr: 0 });
    await write(bytes.subarray(4));
    await log.flush();
    expect(payloads(contents).join('')).toBe('1 ((redacted))');
    expect(contents.positions.get('1')).toEqual({ stdout: 7, stderr: 0 });
  });

  test('[ENG-OUT5] makes one append of what comes while another is under way', async () => {
    const { journal, contents, log, write } = fixture();
    await log.position();
    const before = journal.operations();
    for (let line = 0; line < 100; line++) await write(`${line}\n`);
    await log.flush();
    expect(payloads(contents).join('')).toBe(Array.from({ length: 100 }, (_, line) => `${line}\n`).join(''));
    expect(journal.operations() - before).toBeLessThan(100);
  });

  test('[ENG-OUT6] continues where the journal is, and forgets what it had beyond', async () => {
    const { contents, log, write } = fixture();
    await write('one\ntw');
    await quiet();
    expect(await log.position()).toEqual({ stdout: 4, stderr: 0 });
    await write('two\n');
    await log.flush();
    expect(payloads(contents)).toEqual(['one\n', 'two\n']);
  });

  test('[ENG-OUT11] a process that is started again prints from its beginning, also for a later reader', async () => {
    const { contents, log, write } = fixture();
    await log.restart();
    expect(contents.events).toEqual([]);
    await write('one\ntw');
    await log.restart();
    expect(await log.position()).toEqual({ stdout: 0, stderr: 0 });
    await write('one\ntwo\n');
    await log.flush();
    expect(payloads(contents)).toEqual(['one\n', 'tw', 'one\ntwo\n']);
    const later = new OutputLog({
      clock: manualClock(),
      journal: memoryJournal(contents),
      secrets: newSecrets(),
      planId: '1',
    });
    expect(await later.position()).toEqual({ stdout: 8, stderr: 0 });
  });

  test('[ENG-OUT7] the next write throws the error of the journal', async () => {
    const contents = emptyJournal();
    const drain = new AbortController();
    const journal = guardJournal(memoryJournal(contents, { at: 1, lose: 'operation' }), drain.signal, (reason) => {
      drain.abort(reason);
      return reason;
    });
    const log = new OutputLog({ clock: manualClock(), journal, secrets: newSecrets(), planId: '1' });
    await log.write('stdout', Buffer.from('one\n'));
    await quiet();
    await expect(log.write('stdout', Buffer.from('two\n'))).rejects.toBe(drain.signal.reason);
    await expect(log.flush()).rejects.toBe(drain.signal.reason);
  });

  test('[ENG-OUT8] writes nothing once closed', async () => {
    const { clock, contents, log, write } = fixture();
    await write('held');
    log.close();
    await clock.advance(5000);
    await log.flush();
    expect(payloads(contents)).toEqual([]);
    expect(clock.sleepers()).toBe(0);
  });

  test('[ENG-OUT10] splits long output into events of at most 64 KiB, after lines, not within characters or secrets', async () => {
    const { contents, log, secrets, write } = fixture();
    secrets.track('hunter2');
    const limit = 64 * 1024;
    const lines = `${'line\n'.repeat(20_000)}`;
    const unbroken = '\u20ac'.repeat(30_000);
    const atTheEdge = `${'x'.repeat(limit - 3)}hunter2${'y'.repeat(limit)}\n`;
    await write(lines + unbroken + atTheEdge);
    await log.flush();
    const pieces = payloads(contents);
    expect(pieces.join('')).toBe(lines + unbroken + atTheEdge.replace('hunter2', '((redacted))'));
    expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece)))).toBeLessThanOrEqual(limit);
    expect(pieces[0]).toMatch(/^(line\n)+$/);
    expect(pieces.length).toBeLessThan(10);
    expect(contents.positions.get('1')?.stdout).toBe(Buffer.byteLength(lines + unbroken + atTheEdge));
  });

  test('[ENG-OUT9] loses no byte and doubles none, wherever it crashes', async () => {
    const chunks = fc.array(
      fc.tuple(
        fc.constantFrom('stdout', 'stderr'),
        fc.string({ unit: fc.constantFrom('a', '\n', '\u20ac', '\u{1f680}') }),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(12), fc.constantFrom('operation', 'answer'), async (written, at, lose) => {
        const all = {
          stdout: Buffer.from(written.flatMap(([stream, text]) => (stream === 'stdout' ? [text] : [])).join('')),
          stderr: Buffer.from(written.flatMap(([stream, text]) => (stream === 'stderr' ? [text] : [])).join('')),
        };
        const contents = emptyJournal();
        for (const crash of [{ at, lose: lose as 'operation' | 'answer' }, undefined]) {
          const journal = memoryJournal(contents, crash);
          const log = new OutputLog({ clock: manualClock(), journal, secrets: newSecrets(), planId: '1' });
          try {
            const from = await log.position();
            await log.write('stdout', all.stdout.subarray(from.stdout, from.stdout + 5)); // may cut a character
            await log.write('stdout', all.stdout.subarray(from.stdout + 5));
            await log.write('stderr', all.stderr.subarray(from.stderr));
            await log.flush();
          } catch {
            expect(journal.crashed()).toBe(true);
          }
          await quiet();
        }
        expect(payloads(contents, 'stdout').join('')).toBe(all.stdout.toString());
        expect(payloads(contents, 'stderr').join('')).toBe(all.stderr.toString());
        const { stdout, stderr } = contents.positions.get('1') ?? { stdout: 0, stderr: 0 };
        expect({ stdout, stderr }).toEqual({ stdout: all.stdout.length, stderr: all.stderr.length });
      }),
      { numRuns: 200 },
    );
  });
});
