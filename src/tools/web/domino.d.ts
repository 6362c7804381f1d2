// Types for the few parts of domino that Cadre uses to read pages. The package has no types under this name.

declare module "@mixmark-io/domino" {
  export interface DomNode {
    /** The tag name in capitals for an element, or `#text` for text. */
    nodeName: string;
    nodeType: number;
    data: string;
    firstChild: DomNode | null;
    nextSibling: DomNode | null;
    getAttribute(name: string): string | null;
  }

  export function createDocument(html: string): {
    title: string;
    body: DomNode | null;
    querySelector(selector: string): DomNode | null;
  };
}
