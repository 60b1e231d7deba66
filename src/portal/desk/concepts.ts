/** Concepts for forms: what a typed label, code or address means, and how a concept is called. */

import type { FormField, FormModel } from '../../profile/form-model.ts'
import { isIri } from '../../rdf/iri.ts'
import { readLines } from '../../rdf/lines.ts'
import { graphOf } from '../../rdf/read.ts'
import { fold } from '../../text/fold.ts'
import { listed, textOr } from '../../text/json.ts'
import { keysOf } from '../../text/records.ts'
import { nearest } from '../../text/nearest.ts'
import { type Authorities, conceptIri, shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Concept, conceptsOf, schemes } from '../../vocabularies/concept.ts'
import {
  type ConceptTable,
  createConceptTable,
  labelsOf,
} from '../../vocabularies/concept-table.ts'
import { formatIri, mediaTypeIri } from '../../vocabularies/formats.ts'
import type { PageContext } from '../context.ts'

/** Look-ups in the vocabularies of a form; a scheme that is none of them is empty. */
export type Concepts = {
  /** IRI of the concept that a text means. */
  readonly find: (scheme: string | undefined, text: string) => string | undefined
  /** Concept whose label is nearest to a text with typing errors. */
  readonly near: (
    scheme: string | undefined,
    text: string,
    language: string,
  ) => { readonly iri: string; readonly label: string } | undefined
  readonly label: (iri: string, language: string) => string | undefined
  /** Concepts in use. */
  readonly list: (scheme: string | undefined) => readonly Concept[]
}

/** Names of languages by the language in which they are written. */
const languageNames = new Map<string, Intl.DisplayNames>()

function languageName(code: string, language: string): string | undefined {
  const known = languageNames.get(language)
  const names = known ?? new Intl.DisplayNames([language], { type: 'language', fallback: 'none' })
  // Pages have few languages.
  if (!known) languageNames.set(language, names)
  return names.of(code)
}

/** Label of a concept in a language, else in English or any other; languages have their names in all of them. */
export function labelOfConcept(
  { prefLabel, label, extensions }: Concept,
  language: string,
): string {
  const code = extensions['iso_6391_code']
  return prefLabel[language] ?? (code && languageName(code, language)) ?? label
}

/** IRI of the language with a name, as one of the pages writes it. */
function languageNamed(languages: readonly Concept[], name: string): string | undefined {
  const wanted = fold(name.trim())
  const isNamed = (concept: Concept) =>
    ['en', 'de', 'fr', 'it'].some((one) => fold(labelOfConcept(concept, one)) === wanted)
  return languages.find(isNamed)?.iri
}

/** Makes the look-ups; `installed` are the vocabularies that do not come with the platform, by their schemes. */
function conceptsFor(
  authorities: Authorities,
  installed: ReadonlyMap<string, ConceptTable> = new Map(),
): Concepts {
  const nameOf = (scheme: string | undefined) =>
    keysOf(schemes).find((name) => schemes[name] === scheme)
  const list = (scheme: string | undefined) => {
    const name = nameOf(scheme)
    const table = name ? authorities.table(name) : installed.get(scheme ?? '')
    return table?.concepts.filter(({ deprecated }) => !deprecated) ?? []
  }
  return {
    list,
    find: (scheme, text) => {
      if (scheme?.includes('media-types')) return mediaTypeIri(text, authorities)
      const name = nameOf(scheme)
      if (name === undefined) {
        const table = installed.get(scheme ?? '')
        return (table?.bySimilarIri(text) ?? table?.byCode(text) ?? table?.byLabel(text))?.iri
      }
      return (
        conceptIri(name, text, authorities) ??
        (name === 'fileType' ? formatIri(text, authorities) : undefined) ??
        (name === 'language' ? languageNamed(list(scheme), text) : undefined)
      )
    },
    near: (scheme, text, language) => {
      const labels = new Map(
        list(scheme).flatMap((concept) => labelsOf(concept).map((label) => [label, concept])),
      )
      const concept = labels.get(nearest(text, [...labels.keys()]) ?? '')
      return concept && { iri: concept.iri, label: labelOfConcept(concept, language) }
    },
    label: (iri, language) => {
      const own = [...installed.values()].map(({ byIri }) => byIri(iri))
      const concept = authorities.concept(iri) ?? own.find((one) => one !== undefined)
      const [, mediaType] = /\/media-types\/(.+)$/.exec(iri) ?? []
      return concept ? labelOfConcept(concept, language) : mediaType
    },
  }
}

/** Makes the look-ups in the vocabularies that come with the platform. */
export const shippedConcepts = async (): Promise<Concepts> =>
  conceptsFor(await shippedAuthorities())

const shippedSchemes: ReadonlySet<string> = new Set(Object.values(schemes))

const vocabulariesIn = (fields: readonly FormField[]): readonly string[] =>
  fields.flatMap(({ vocabulary = '', nested }) => [
    vocabulary,
    ...vocabulariesIn(nested?.fields ?? []),
  ])

/** Most vocabularies that are looked through, and most concepts of one that a form offers; others are named by their addresses. */
const [mostVocabularies, mostConcepts] = [1000, 3000]

/** Ids of those of some concept schemes that are installed. */
async function installedIds(
  { ask, optional }: PageContext,
  named: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (named.length === 0) return new Map()
  const list = async (valueType: string) => {
    const path = `/vocabularies?valueType=${valueType}&limit=${mostVocabularies}`
    return listed(await optional(ask('repository', path))).map(textOr)
  }
  const schemesInstalled = await list('uriRefs')
  if (!named.some((scheme) => schemesInstalled.includes(scheme))) return new Map()
  const ids = await list('identifiers')
  return new Map(
    named.flatMap((scheme) => {
      const id = ids[schemesInstalled.indexOf(scheme)]
      return id === undefined ? [] : [[scheme, id] as const]
    }),
  )
}

/** Reads the concepts of an installed vocabulary; none where it has more than `mostConcepts`, or is not answered in time. */
async function installedTable(
  { ask, optional, find }: PageContext,
  [scheme, id]: readonly [string, string],
): Promise<ConceptTable> {
  const counted = { filters: 'vocabulary', limit: 0, parameters: { vocabulary: id } }
  const size = (await optional(find(counted)))?.count ?? 0
  const path = `/vocabularies/${encodeURIComponent(id)}.nt`
  const lines = size > 0 && size <= mostConcepts && (await optional(ask('repository', path)))
  const graph = graphOf(await readLines(typeof lines === 'string' ? lines : ''))
  return createConceptTable(conceptsOf(graph, scheme))
}

/** Makes the look-ups for a form: in the vocabularies that come with the platform, and in the installed ones that its fields name. */
export async function conceptsOfForm(
  context: PageContext,
  { sections }: FormModel,
): Promise<Concepts> {
  const named = new Set(vocabulariesIn(sections.flatMap(({ fields }) => fields)))
  const own = [...named].filter(
    (one) => isIri(one) && !shippedSchemes.has(one) && !one.includes('media-types'),
  )
  const tables = [...(await installedIds(context, own))].map(
    async (one) => [one[0], await installedTable(context, one)] as const,
  )
  return conceptsFor(await shippedAuthorities(), new Map(await Promise.all(tables)))
}
