const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number a Kubernetes quantity stands for (`500m`, `64Mi`, `1e3`); undefined if the text is not a quantity. */
export function parseQuantity(text: string): number | undefined {
  const [, digits, suffix = ''] = /^(\d+(?:\.\d*)?|\.\d+)([a-zA-Z]*|[eE][+-]?\d+)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  if (/^[eE][+-]?\d+$/.test(suffix)) return Number(digits + suffix);
  const factor = FACTORS[suffix];
  return factor === undefined ? undefined : Number(digits) * factor;
}
