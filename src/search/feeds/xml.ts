/** Writing XML 1.0: every text passes through here. */

/** Absent attributes are left out. */
type Attributes = Readonly<Record<string, string | undefined>>

export const declaration = '<?xml version="1.0" encoding="utf-8"?>\n'

/** What XML 1.0 (2.2) has no place for, and the controls that it advises against. */
// oxlint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g

const special = /[&<>"']/g

const references: Readonly<Record<string, string>> = {
  '&': '&#x26;',
  '<': '&#x3C;',
  '>': '&#x3E;',
  '"': '&#x22;',
  "'": '&#x27;',
}

/** Character data or the value of an attribute. What XML cannot say is left out, halves of surrogate pairs are replaced. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(forbidden, '')
    .replace(special, (char) => references[char] ?? '')

/** An element with finished content; without any it is empty. */
export function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${escaped(value)}"`))
    .join('')
  return content === undefined ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
}

/** An element with text; nothing where there is no text. */
export const textElement = (
  name: string,
  text: string | undefined,
  attributes: Attributes = {},
): string => (text === undefined ? '' : element(name, attributes, escaped(text)))
