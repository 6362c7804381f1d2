// The little of domino that pages are read with; it brings no types of its own that fit its name.

declare module "@mixmark-io/domino" {
  export interface DomNode {
    /** In capitals for elements; `#text`. */
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
