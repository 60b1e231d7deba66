/** What a replacement takes out of a concept: the paths of the indexed concept, and which language stands in for one that is missing. */

import type { Concept } from '../../vocabularies/concept.ts'

/** Language key → text. */
type Texts = Readonly<Record<string, string>>

/** A text, or texts in several languages. */
export type Taken = string | Texts

/** Reads a concept; `language` is the default language of the record. */
export type Source = (concept: Concept, language: string) => Taken | undefined

/** English, else the default language, else the first by code. */
export function oneOf(texts: Texts, language: string): string | undefined {
  const [first] = Object.keys(texts).toSorted()
  return texts['en'] ?? texts[language] ?? (first === undefined ? undefined : texts[first])
}

const alternatives = ({ altLabel }: Concept): Texts | undefined => {
  const firsts = Object.entries(altLabel).flatMap(([language, [text]]) =>
    text === undefined ? [] : [[language, text] as const],
  )
  return firsts.length === 0 ? undefined : Object.fromEntries(firsts)
}

const whole: Readonly<Record<string, Source>> = {
  id: ({ id }) => id,
  resource: ({ iri }) => iri,
  in_scheme: ({ scheme }) => scheme,
  pref_label: ({ prefLabel }) => prefLabel,
  alt_label: alternatives,
}

const inside: Readonly<Record<string, (key: string) => Source>> = {
  pref_label:
    (wanted) =>
    ({ prefLabel }, language) =>
      prefLabel[wanted] ?? oneOf(prefLabel, language),
  alt_label: (wanted) => (concept) => alternatives(concept)?.[wanted],
  extensions:
    (key) =>
    ({ extensions }) =>
      Object.entries(extensions).find(([name]) => name === key)?.[1],
}

/** The source that a path such as `pref_label.en`, `pref_label` or `extensions.foaf_homepage` names. */
export function sourceAt(path: string): Source | undefined {
  const dot = path.indexOf('.')
  if (dot < 0) return Object.hasOwn(whole, path) ? whole[path] : undefined
  const [name, key] = [path.slice(0, dot), path.slice(dot + 1)]
  return Object.hasOwn(inside, name) && key !== '' ? inside[name]?.(key) : undefined
}
