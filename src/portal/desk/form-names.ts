/** Names of the controls of a form, by which the values that they show are found again when it is posted. */

import { hash } from 'node:crypto'
import type { Term } from '@rdfjs/types'
import { termText } from '../../rdf/lines.ts'

/** Input that is no RDF: the draft keeps it until it is corrected. `node` is an IRI, or `_:label` of a blank node. */
export type Typed = {
  readonly node: string
  readonly path: string
  readonly language: string
  readonly text: string
  readonly message: string
}

/** Text as browsers send it back: with one kind of line break, and without the spaces that `url` and `email` fields cut. */
export const sentText = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

/** Digest of a text, long enough to tell the values of a form apart. */
export const shortDigest = (text: string) => hash('sha256', text, 'base64url').slice(0, 8)

/**
 * Part of a control's name by which its term is found again: digests of the term and of the text that it was rendered as, and its
 * language.
 */
export const rowKey = (term: Term, text: string): string =>
  `~${shortDigest(termText(term))}${shortDigest(sentText(text))}${term.termType === 'Literal' ? term.language : ''}`

/** Language tag of a text in languages, by the part of its control's name; `''` for one without. */
export const languageOfKey = (key: string): string =>
  key.startsWith('~') ? key.slice(17) : key.startsWith('+') ? key.slice(1).replace(/^\d+$/, '') : ''

/** Language tag of what a person writes in place of a text: that of a machine translation (`-t-`, RFC 6497) without its source. */
export const authoredTag = (tag: string): string => tag.replace(/-t-.*$/i, '')

/** Whether a control was sent with the text that it was rendered with. */
export const isUnchanged = (name: string, text: string): boolean => {
  const key = name.split('.').at(-1) ?? ''
  return key.startsWith('~') && key.slice(9, 17) === shortDigest(sentText(text))
}

/** Part of a control's name by which a typed text is found again. */
export const typedKey = (entry: Typed): string =>
  `!${shortDigest(JSON.stringify([entry.node, entry.path, entry.language, entry.text]))}`
