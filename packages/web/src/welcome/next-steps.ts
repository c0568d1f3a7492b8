export interface NextSteps {
  readonly url: string;
  /** Arguments of `fly login` that name the user. */
  readonly loginHint: string;
  /** Shown once, to a person at a terminal. Absent: it is only said where the password is kept. */
  readonly password?: string;
  readonly passwordFile: string;
}

/** What to do after the first start, one thing in each line. */
export function nextSteps({ url, loginHint, password, passwordFile }: NextSteps): string {
  const secret = password === undefined ? `is in ${passwordFile}` : `${password} (kept in ${passwordFile})`;
  const lines = [
    ['Open', `${url} and sign in as admin; the password ${password === undefined ? secret : `is ${secret}`}`],
    ['Log in', `fly -t dev login -c ${url} ${loginHint}   (get fly at ${url}/download-fly)`],
    ['Set', 'fly -t dev set-pipeline -p NAME -c FILE.yml, then fly -t dev unpause-pipeline -p NAME'],
    ['Add', 'a Kubernetes cluster: npm start -- --kubeconfig FILE --namespace N   (docs/operators/targets.md)'],
    ['Stop', 'with Ctrl-C: steps go on, and npm start takes them up; npm start -- --reset deletes everything'],
  ];
  return `\n${lines.map(([verb, rest]) => `  ${verb?.padEnd(7)} ${rest}`).join('\n')}\n\n`;
}
