/** One right that we need in the target's namespace. */
export interface Permission {
  readonly group: string;
  /** With its subresource: `pods/portforward`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly why: string;
  /** Steps run without this right, only not as well. */
  readonly optional?: true;
}

const FULL = ['create', 'get', 'list', 'watch', 'delete'];
const READ = ['get', 'list', 'watch'];

/** Every right that we need in a namespace. deploy/kubernetes/target-role.yaml grants the same. */
export const PERMISSIONS: readonly Permission[] = [
  { group: '', resource: 'pods', verbs: FULL, why: 'to run steps and the store' },
  {
    group: '',
    resource: 'pods/resize',
    verbs: ['patch'],
    why: 'to give back the CPU and memory of steps that have ended',
    optional: true,
  },
  {
    group: '',
    resource: 'pods/portforward',
    verbs: ['create', 'get'], // a WebSocket is opened by GET
    why: 'to reach pods whose addresses are not routed to web',
    optional: true,
  },
  { group: '', resource: 'events', verbs: READ, why: 'to report why a pod does not start' },
  { group: '', resource: 'services', verbs: FULL, why: "for the store's address" },
  { group: '', resource: 'persistentvolumeclaims', verbs: FULL, why: "for the store's disk" },
  {
    group: '',
    resource: 'secrets',
    verbs: ['create', 'delete'],
    why: 'for the key of the certificates of its pods, and for credentials of registries',
  },
  { group: '', resource: 'resourcequotas', verbs: READ, why: 'to wait for quota' },
  { group: '', resource: 'limitranges', verbs: READ, why: 'to wait for quota' },
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: FULL, why: 'for hermetic steps' },
];
