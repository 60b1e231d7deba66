/** Properties whose values are concepts of an authority: what sources write, looked up. */
import type { NamedNode } from '@rdfjs/types'
import { namedNode } from '../../rdf/terms.ts'
import type { Finding } from '../../pipe/message.ts'
import { conceptIri, type AuthorityName } from '../../vocabularies/authorities.ts'
import { accessOf, countryOf, frequencyOf } from '../../vocabularies/coded-values.ts'
import { formatIri } from '../../vocabularies/formats.ts'
import { languageOf } from '../../vocabularies/coded-values.ts'
import { fieldsOf, saidText, structuredList } from '../../vocabularies/loose-values.ts'
import type { Subject } from './subject.ts'
import { nameOf } from './addresses.ts'

const lookups = {
  format: formatIri,
  frequency: frequencyOf,
  language: languageOf,
  country: countryOf,
  access: accessOf,
} as const

const slugs: Partial<Record<keyof typeof lookups, Finding['slug']>> = {
  format: 'unknown-format',
  language: 'unknown-language',
}

/** A property for each value that is known; what is unknown is left out and told. */
export function concepts(
  subject: Subject,
  predicate: NamedNode,
  kind: keyof typeof lookups,
  value: unknown,
): boolean {
  let isAny = false
  for (const one of structuredList(value)) {
    const text = saidText(one)
    if (text === undefined) continue
    const iri = lookups[kind](text, subject.record.options.authorities)
    const slug = slugs[kind]
    if (iri !== undefined) isAny = subject.add(predicate, namedNode(iri)) || isAny
    else if (slug) subject.record.note(slug, `${nameOf(predicate)}: ${text}`)
    else subject.lost(predicate, text)
  }
  return isAny
}

/** A property for each value that is a concept of the table; others stay IRIs when they are some, else they are told. */
export function concept(
  subject: Subject,
  predicate: NamedNode,
  name: AuthorityName,
  value: unknown,
): boolean {
  let isAny = false
  for (const one of structuredList(value)) {
    const text = saidText(one) ?? saidText(fieldsOf(one)['uri'])
    const iri = conceptIri(name, text, subject.record.options.authorities)
    isAny = subject.iri(predicate, iri ?? text) || subject.lost(predicate, one) || isAny
  }
  return isAny
}
