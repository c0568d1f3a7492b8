const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Text for an element or an attribute of XML. Control characters, which XML cannot hold, are left out. */
export function escapeXml(text: string): string {
  return text.replace(/\p{Cc}/gu, '').replace(/[&<>"']/g, (each) => ENTITIES[each] ?? '');
}
