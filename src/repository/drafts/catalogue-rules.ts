/** Rules of catalogues for what is published in them: their form, and what a record lacks by them. */

import type { Quad } from '@rdfjs/types'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { isIri, isUnsafeAddress } from '../../rdf/iri.ts'
import { termIn, termText } from '../../rdf/lines.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'

const property = z.string().max(2000).refine(isIri, 'must be the IRI of a property')

/** IRI or literal as N-Triples, in the spelling of the platform. */
const value = z
  .string()
  .max(2000)
  .transform((text, context) => {
    const term = termIn(text)
    const isAddress = term?.termType === 'NamedNode' && isIri(term.value)
    if (term?.termType === 'Literal' || (isAddress && !isUnsafeAddress(term.value)))
      return termText(term)
    context.addIssue({ code: 'custom', message: 'must be an IRI or a literal as N-Triples' })
    return z.NEVER
  })

const members = {
  /** Which drafts a steward looks at before they are published. */
  review: z.enum(['none', 'new', 'every']).default('new'),
  /** Languages that titles and descriptions must have, in the order in which forms show them. */
  languages: z
    .array(z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/))
    .max(30)
    .default([]),
  /** IRIs of properties of datasets that must have a value. */
  required: z.array(property).max(100).default([]),
  /** Whether what programs write is refused where it lacks a language or a property. */
  programs: z.boolean().default(false),
  /** Values that new datasets begin with. */
  defaults: z
    .array(z.strictObject({ path: property, value }))
    .max(100)
    .default([]),
  /** Points below which a draft is warned about. */
  points: z.int().min(0).max(405).default(0),
}

/** Rules of a catalogue as a request has them. */
export const ruleSchema = z.strictObject(members)
/** Rules as a file has them, maybe with members of an earlier version. */
export const storedRuleSchema = z.object(members)
export type Rules = z.infer<typeof ruleSchema>

/** Title, text in a language or property that a record lacks. */
type Lack = {
  readonly kind: 'title' | 'language' | 'required'
  readonly path: string
  readonly language?: string
  readonly message: string
}

/** Whether a record has a value of a property, or all of its distributions have one. */
export function hasValue(graph: Graph, node: string, path: string): boolean {
  const distributions = graph.objects(node, dcat('distribution'))
  const has = (one: Parameters<Graph['objects']>[0]) => graph.objects(one, path).length > 0
  return has(node) || (distributions.length > 0 && distributions.every(has))
}

/** Lists what a record lacks by the rules: a title, texts in their languages, values of their properties. */
export function lacksOf(
  graph: Graph,
  node: string,
  { languages, required }: Pick<Rules, 'languages' | 'required'>,
): readonly Lack[] {
  const [title, description] = [dct('title').value, dct('description').value]
  const languagesOf = (path: string) =>
    graph
      .objects(node, path)
      .flatMap((term) => ('language' in term ? [term.language.toLowerCase()] : []))
  const lacks: Lack[] = []
  if (!hasValue(graph, node, title))
    lacks.push({ kind: 'title', path: title, message: 'it has no title' })
  for (const path of [title, description])
    for (const language of languages)
      if (!languagesOf(path).includes(language.toLowerCase())) {
        const message = `the catalogue asks for a text in "${language}"`
        lacks.push({ kind: 'language', path, language, message })
      }
  for (const path of required)
    if (!hasValue(graph, node, path))
      lacks.push({ kind: 'required', path, message: 'the catalogue asks for a value' })
  return lacks
}

/** Most lacks that a problem names. */
const mostErrors = 50

/** Throws `invalid-content` for a dataset that lacks something, in catalogues whose rules hold for programs too. */
export function demandByRules(rules: Rules, node: string, quads: readonly Quad[]): void {
  if (!rules.programs) return
  const lacks = lacksOf(graphOf(quads), node, rules)
  if (lacks.length === 0) return
  const errors = lacks
    .slice(0, mostErrors)
    .map(({ path, message }) => ({ pointer: path, detail: message }))
  const detail = 'the dataset lacks what the rules of its catalogue ask for; GET …/rules lists it'
  throw new Failure('invalid-content', detail, { errors })
}
