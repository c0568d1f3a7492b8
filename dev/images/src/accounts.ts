/** Users and groups under the numbers that minimal images usually give them. */
const USERS = [
  'root:x:0:0:root:/root:/bin/sh',
  'bin:x:1:1:bin:/bin:/bin/false',
  'daemon:x:2:2:daemon:/:/bin/false',
  'adm:x:3:4:adm:/var/adm:/bin/false',
  'news:x:9:13:news:/var/spool/news:/bin/false',
  'nonroot:x:65532:65532:nonroot:/home/nonroot:/bin/sh',
  'nobody:x:65534:65534:nobody:/:/bin/false',
];

const GROUPS = [
  'root:x:0:root',
  'bin:x:1:root,bin,daemon',
  'daemon:x:2:root,bin,daemon',
  'adm:x:4:root,adm,daemon',
  'news:x:13:news',
  'nonroot:x:65532:',
  'nobody:x:65534:',
];

export const PASSWD = `${USERS.join('\n')}\n`;
export const GROUP = `${GROUPS.join('\n')}\n`;
