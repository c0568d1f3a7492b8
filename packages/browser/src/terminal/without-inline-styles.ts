/**
 * The policy of the page forbids styles in the page's own text, and xterm.js makes three `<style>` elements and writes
 * attributes `style`. Here its style elements become style sheets of the document, and its attributes become properties,
 * which the policy allows: markup that somebody brings into the page can do neither. One at a time.
 */
export class WithoutInlineStyles {
  readonly #sheets: CSSStyleSheet[] = [];

  constructor() {
    HTMLSpanElement.prototype.setAttribute = setAttribute;
  }

  /** Runs the start of xterm.js, which makes its style elements. It must not wait for anything. */
  during(start: () => void): void {
    document.createElement = this.#createElement as typeof document.createElement;
    try {
      start();
    } finally {
      // The method of all documents is there again.
      delete (document as Partial<Document>).createElement;
    }
  }

  end(): void {
    // The method of all elements is there again.
    delete (HTMLSpanElement.prototype as Partial<HTMLSpanElement>).setAttribute;
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !this.#sheets.includes(sheet));
  }

  readonly #createElement = (name: string): HTMLElement => {
    const isStyle = name === 'style';
    const element = Document.prototype.createElement.call(document, isStyle ? 'template' : name);
    if (!isStyle) return element;
    const sheet = new CSSStyleSheet();
    this.#sheets.push(sheet);
    document.adoptedStyleSheets.push(sheet);
    return Object.defineProperty(element, 'textContent', { set: (css: string) => sheet.replaceSync(css) });
  };
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
