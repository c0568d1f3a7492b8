/** Where pods reach the witness. */
export interface WitnessAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Prints numbered lines and reports start and end to the witness. A report is repeated until it is answered: the
 * witness knows a process by its random id, so that a repetition does not count. The caller sets BUILD, STEP, LINES, PAUSE (seconds),
 * EXIT, FIRST (not empty: fail if this is the first process of the step) and HUNGRY (not empty: use up the memory).
 */
function count({ host, port }: WitnessAddress): string {
  return `
id=$(cat /proc/sys/kernel/random/uuid)
send() { printf 'GET /%s?build=%s&step=%s&process=%s HTTP/1.0\\r\\n\\r\\n' $1 $BUILD $STEP $id | nc -w 5 ${host} ${port} | tail -n 1; }
report() { answer=; until [ -n "$answer" ]; do answer=$(send $1) || answer=; [ -n "$answer" ] || sleep 0.3; done; }
report start; starts=$answer
if [ -n "$FIRST" ] && [ "$starts" = 1 ]; then EXIT=4; fi
i=1
while [ $i -le $LINES ]; do echo "$STEP $id line $i"; i=$((i+1)); sleep $PAUSE; done
if [ -n "$HUNGRY" ]; then x=$(head -c 400000000 /dev/zero | tr '\\0' x); fi
report end
`;
}

/** The script of a task. Each output gets a file that names the step. */
export function taskScript(witness: WitnessAddress): string {
  return `${count(witness)}
for output in $OUTPUTS; do echo "$STEP" > $output/made; done
for input in $INPUTS; do [ -s $input/made ] || { echo "$input is empty"; exit 5; }; done
exit $EXIT
`;
}

/**
 * One script for check, in and out of a resource type; its own name says which it is. A put's settings come as shell
 * assignments in the parameter `chaos`.
 */
export function typeScript(witness: WitnessAddress): string {
  return `#!/bin/sh
request=$(cat)
case $0 in
*check) echo '[]'; exit 0;;
*in) echo fetched > $1/fetched; echo '{"version": {"put": "fetched"}}'; exit 0;;
esac
exec 3>&1 >&2
eval "$(echo "$request" | sed -n 's/.*"chaos" *: *"\\([^"]*\\)".*/\\1/p')"
${count(witness)}
echo '{"version": {"put": "'$id'"}}' >&3
exit $EXIT
`;
}
