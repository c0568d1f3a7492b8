import { describe, expect, test } from 'vitest';
import { parseFetched, parseVersions, scriptInput } from './scripts.ts';

describe('scriptInput', () => {
  test('[ORC-SCRIPT1] leaves out params and version that do not exist', () => {
    expect(scriptInput({ a: 1 }, {})).toBe('{"source":{"a":1}}');
    expect(scriptInput({}, { params: {} })).toBe('{"source":{}}');
    expect(JSON.parse(scriptInput({}, { params: { p: 1 }, version: { ref: 'x' } }))).toEqual({
      source: {},
      params: { p: 1 },
      version: { ref: 'x' },
    });
  });
});

describe('parseVersions', () => {
  test('[ORC-SCRIPT2] empty output, null and [] mean that there are no versions', () => {
    for (const stdout of ['', '\n', 'null', '[]']) expect(parseVersions('check', stdout)).toEqual([]);
  });

  test('[ORC-SCRIPT3] reads the first value, over several lines, and ignores what follows', () => {
    expect(parseVersions('check', '[\n {"ref": "a ] b \\" }"},\n {"ref":"b"}\n]\ntrailing')).toEqual([
      { ref: 'a ] b " }' },
      { ref: 'b' },
    ]);
    expect(parseVersions('check', '[{"ref":"a"}][{"ref":"b"}]')).toEqual([{ ref: 'a' }]);
  });

  test('[ORC-SCRIPT3] a value that is not a list or an object ends at the next value', () => {
    for (const stdout of ['null [{"ref":"b"}]', 'null\n', 'null,']) expect(parseVersions('check', stdout)).toEqual([]);
    for (const stdout of ['"[" ]', '"a"[]', ']', '1 []']) expect(() => parseVersions('check', stdout)).toThrow('check');
  });

  test.each([
    ['a string that nothing closes', `["${'\\"'.repeat(2 ** 20)}`],
    ['brackets that nothing closes', '['.repeat(2 ** 21)],
    ['strings that nothing follows', `[${'""'.repeat(2 ** 20)}`],
    ['quotes outside of a list', '"'.repeat(2 ** 21)],
  ])('[ORC-SCRIPT8] an answer of 2 MiB is refused at once: %s', (_, stdout) => {
    expect(() => parseVersions('/opt/resource/check', stdout)).toThrow('must answer with');
  });

  test('[ORC-SCRIPT4] anything else is an error that names the script and shows its answer', () => {
    for (const stdout of ['{"ref":"a"}', '[1]', '[{"ref":1}]', 'oops', '[{}]']) {
      expect(() => parseVersions('/opt/resource/check', stdout)).toThrow('/opt/resource/check');
    }
  });
});

describe('parseFetched', () => {
  test('[ORC-SCRIPT5] a version and its metadata', () => {
    const stdout = '{"version":{"ref":"a"},"metadata":[{"name":"n","value":"v"}]}';
    expect(parseFetched('in', stdout)).toEqual({ version: { ref: 'a' }, metadata: [{ name: 'n', value: 'v' }] });
    expect(parseFetched('in', '{"version":{"ref":"a"}}').metadata).toEqual([]);
  });

  test('[ORC-SCRIPT6] an in that names no version has fetched the one it was asked for', () => {
    for (const stdout of ['{"version":null}', '{"version":{}}', '{}', '']) {
      expect(parseFetched('in', stdout, { ref: 'a' })).toEqual({ version: { ref: 'a' }, metadata: [] });
    }
    expect(parseFetched('in', '{"version":{"ref":"b"}}', { ref: 'a' }).version).toEqual({ ref: 'b' });
  });

  test('[ORC-SCRIPT6] a null version is an error in Concourse’s words', () => {
    for (const stdout of ['{"version":null}', '{}', '']) {
      expect(() => parseFetched('/opt/resource/out', stdout)).toThrow(
        'resource script (/opt/resource/out) output a null version',
      );
    }
  });
});
