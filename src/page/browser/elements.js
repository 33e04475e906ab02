/** An element that the page has in any case. @type {(id: string) => HTMLElement} */
export const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * An element of this kind, which the page has in any case.
 * @template {HTMLElement} T
 * @param {new () => T} kind
 * @param {string} id
 */
export const findAs = (kind, id) => {
  const element = find(id);
  if (element instanceof kind) return element;
  throw new TypeError(`#${id} is another element`);
};

/** What was clicked, typed into or changed. @type {(event: Event) => HTMLElement} */
export const targetOf = ({ target }) => /** @type {HTMLElement} */ (target);

/** The button that sent a form; every form here has one. @type {(event: SubmitEvent) => HTMLButtonElement} */
export const submitterOf = ({ submitter }) => /** @type {HTMLButtonElement} */ (submitter);
