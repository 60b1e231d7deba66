/** Example queries, written from a profile: what the documents of each index are made of, for a reader's own endpoint. */

import type { Profile } from '../../profile/profile.ts'
import {
  ctl,
  dc,
  dcat,
  dcatap,
  dct,
  dqv,
  foaf,
  opauthority,
  owl,
  prefixes,
  prov,
  rdf,
  skos,
} from '../../rdf/namespaces.ts'
import { mappingClasses } from '../mappings/classes.ts'
import type { Slot } from '../mappings/mapping.ts'
import { slotsOf } from '../mappings/slots.ts'

/** A query with the name of its file. */
type Example = { readonly name: string; readonly text: string }

/** What a catalogue is asked beside the fields of its own document. */
const ofCatalogue = ['title', 'language', 'spatial'].map((name) => dct(name).value)

const ofConcept = [
  ...['prefLabel', 'altLabel', 'definition', 'exactMatch'].map((name) => skos(name).value),
  ...['inScheme', 'topConceptOf', 'hasTopConcept'].map((name) => skos(name).value),
  ...[dc('identifier'), dct('identifier'), rdf('type')].map(({ value }) => value),
  ...[foaf('homepage'), foaf('mbox')].map(({ value }) => value),
  ...[owl('deprecated'), opauthority('deprecated')].map(({ value }) => value),
  ...['alpha2', 'assistant', 'ending', 'mediaType', 'machineReadable', 'nonProprietary'].map(
    (name) => ctl(name).value,
  ),
]

const ofMetrics = [
  ...['hasQualityMeasurement', 'isMeasurementOf', 'computedOn', 'computeOn', 'value'].map(
    (name) => dqv(name).value,
  ),
  prov('generatedAtTime').value,
]

/** All subjects of a graph that holds nothing else. */
const anySubject = (subject: string, predicates: readonly string[]): readonly Alternative[] => [
  { steps: [], triple: [subject, 'p', 'o'], predicates: predicates.toSorted() },
]

/** One query per index, and one for the scores of datasets when the profile has a field for them. */
export function exampleQueries(profile: Profile): readonly Example[] {
  const said = (what: string) =>
    `What documents of ${what} are made of, by the profile ${profile.id}.`
  const datasets = slotsOf(profile.dataset.fields)
  const embedded = datasets.find(({ fill, field }) => fill && field.name === 'catalog')
  const inDatasets = embedded?.site.children.flatMap(({ paths }) => paths) ?? []
  const hasScores = profile.dataset.fields.some(({ mapping }) => mapping === 'Metrics')
  const example = (name: string, what: string, graph: string, parts: readonly Alternative[]) => ({
    name,
    text: constructText(said(what), graph, parts),
  })
  return [
    example('dataset', 'datasets', 'dataset', rootAlternatives(datasets, 'dataset')),
    example(
      'catalogue',
      'catalogues',
      'catalogue',
      rootAlternatives(slotsOf(profile.catalogue.fields), 'catalogue', [
        ...ofCatalogue,
        ...inDatasets,
      ]),
    ),
    example('concept', 'concepts', 'scheme', anySubject('concept', ofConcept)),
    ...(hasScores
      ? [example('metrics', 'datasets: their scores', 'metrics', anySubject('subject', ofMetrics))]
      : []),
    ...profile.resources.map(({ id, shape }) =>
      example(
        `resource-${id}`,
        `resources of the type ${id}`,
        'resource',
        rootAlternatives(slotsOf(shape.fields), 'resource'),
      ),
    ),
  ]
}

// The triples that the fields of a shape read, as alternatives of a graph pattern (SPARQL 1.1, 7).

/** One alternative: the way from the root to a node, and the triples of that node that are taken. */
type Alternative = {
  readonly steps: readonly Step[]
  /** Variables of the triple that goes into the result. */
  readonly triple: readonly [subject: string, predicate: string, object: string]
  /** Predicates that count; absent = all. */
  readonly predicates?: readonly string[]
}

/** From a node to others, by any of the predicates. */
type Step = {
  readonly from: string
  readonly by: readonly string[]
  readonly to: string
  /** The link goes the other way. */
  readonly inverse?: true
}

/** A node that is read: its variable and how to get there. */
type Place = { readonly node: string; readonly steps: readonly Step[] }

const legislation = dcatap('applicableLegislation').value
const distribution = dcat('distribution').value

const unique = (names: readonly string[]) => [...new Set(names)].sort()

const ownPredicates = (slots: readonly Slot[]): readonly string[] =>
  slots.flatMap(({ paths, reads = [] }) => [...paths, ...reads])

const linksOf = (slots: readonly Slot[], depth: number) =>
  unique(
    slots
      .filter(({ field }) => (mappingClasses[field.mapping].reach ?? 0) >= depth)
      .flatMap(({ paths }) => paths),
  )

/** The nodes that fields read whole, and the nodes in them. */
function described(slots: readonly Slot[], { node, steps }: Place): readonly Alternative[] {
  const [part, inner] = [`${node}_part`, `${node}_inner`]
  const [near, far] = [linksOf(slots, 1), linksOf(slots, 2)]
  const triple = (subject: string) => [subject, `${subject}_p`, `${subject}_o`] as const
  const first = { from: node, by: near, to: part }
  const second = { from: node, by: far, to: part }
  const further = { from: part, by: [], to: inner }
  return [
    ...(near.length > 0 ? [{ steps: [...steps, first], triple: triple(part) }] : []),
    ...(far.length > 0 ? [{ steps: [...steps, second, further], triple: triple(inner) }] : []),
  ]
}

function taken({ node, steps }: Place, predicates: readonly string[]): readonly Alternative[] {
  if (predicates.length === 0) return []
  const triple = [node, `${node}_p`, `${node}_o`] as const
  return [{ steps, triple, predicates: unique(predicates) }]
}

/** The alternatives of the fields of one node; `more` are predicates that something else needs of it. */
function alternatives(
  slots: readonly Slot[],
  place: Place,
  more: readonly string[] = [],
): readonly Alternative[] {
  const nested = slots.flatMap(({ field, site, paths }) => {
    if (field.mapping !== 'Nested' || paths.length === 0) return []
    const node = site.path.replaceAll(/[^A-Za-z0-9]/g, '_')
    const inside = { node, steps: [...place.steps, { from: place.node, by: paths, to: node }] }
    return alternatives(site.children, inside)
  })
  const own = taken(place, [...ownPredicates(slots), ...more])
  return [...own, ...described(slots, place), ...nested]
}

const recordFrame = [rdf('type').value, foaf('primaryTopic').value]

/** The catalogue record, which points to its dataset. */
function recordOf(slots: readonly Slot[], root: string): readonly Alternative[] {
  const record = slots.find(({ field, fill }) => fill && field.name === 'catalog_record')
  if (!record) return []
  const by = [foaf('primaryTopic').value]
  const steps = [{ from: root, by, to: 'record', inverse: true as const }]
  return alternatives(record.site.children, { node: 'record', steps }, recordFrame)
}

/** The legislation of distributions makes a dataset a high-value one. */
function lawOf(slots: readonly Slot[], root: string): readonly Alternative[] {
  if (!slots.some(({ field, fill }) => fill && field.name === 'is_hvd')) return []
  const steps = [{ from: root, by: [distribution], to: 'covered' }]
  return taken({ node: 'covered', steps }, [legislation])
}

/** Everything that documents of a shape are made of, from its root; `more` = predicates that the builder itself reads. */
const rootAlternatives = (
  slots: readonly Slot[],
  root: string,
  more: readonly string[] = [],
): readonly Alternative[] => [
  ...alternatives(slots, { node: root, steps: [] }, more),
  ...recordOf(slots, root),
  ...lawOf(slots, root),
]

// Writes a CONSTRUCT query over the named graphs of records (SPARQL 1.1, 16.2).

const widest = 100
const namespaces = Object.entries(prefixes)
const plainName = /^[A-Za-z][\w-]*$/

/** A prefixed name where the IRI has one. */
function shortened(iri: string, used: Set<string>): string {
  for (const [prefix, namespace] of namespaces) {
    const name = iri.slice(namespace.length)
    if (!iri.startsWith(namespace) || !plainName.test(name)) continue
    used.add(prefix)
    return `${prefix}:${name}`
  }
  return `<${iri}>`
}

/** Words in lines that are not too wide. */
function wrapped(words: readonly string[], indent: string): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && indent.length + last.length + word.length < widest)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => `${indent}${line}\n`).join('')
}

type Writing = { readonly graph: string; readonly used: Set<string> }

const variable = (name: string, { graph }: Writing) => (name === graph ? `$${name}` : `?${name}`)

function stepText(step: Step, writing: Writing): string {
  const { from, by, to, inverse } = step
  const names = by.map((iri) => shortened(iri, writing.used))
  const [subject, object] = [variable(from, writing), variable(to, writing)]
  if (by.length === 0) return `      ${subject} ?${to}_link ${object} .\n`
  const [start, end] = inverse ? ([object, subject] as const) : ([subject, object] as const)
  const separated = names.map((name, at) => (at === names.length - 1 ? name : `${name}|`))
  const path = [start, ...separated, `${end} .`]
  const [first = '', ...more] = wrapped(path, '        ').split('\n')
  return `      ${[first.trim(), ...more].join('\n')}`
}

function alternativeText({ steps, triple, predicates }: Alternative, writing: Writing): string {
  const [subject, predicate, object] = triple.map((name) => variable(name, writing))
  const names = predicates?.map((iri) => shortened(iri, writing.used))
  const chosen = names ? `      VALUES ${predicate} {\n${wrapped(names, '        ')}      }\n` : ''
  const way = steps.map((step) => stepText(step, writing)).join('')
  return `    {\n${way}${chosen}      ${subject} ${predicate} ${object} .\n    }`
}

/** `$graph` stands for the records, each in a graph of its own name. */
function constructText(title: string, graph: string, alternatives: readonly Alternative[]): string {
  const writing = { graph, used: new Set<string>() }
  const parts = alternatives.map((part) => alternativeText(part, writing)).join(' UNION\n')
  const triples = new Set(
    alternatives.map(({ triple }) => triple.map((name) => variable(name, writing)).join(' ')),
  )
  const head = [...writing.used]
    .sort()
    .map((prefix) => `PREFIX ${prefix}: <${prefixes[prefix]}>\n`)
    .join('')
  const template = [...triples].map((triple) => `  ${triple} .\n`).join('')
  return `# ${title}
# Put the IRIs of the graphs in the place of UNDEF. Written by \`npm run profile -- queries\`; do not edit.
${head}CONSTRUCT {
${template}}
WHERE {
  VALUES $${graph} { UNDEF }
  GRAPH $${graph} {
${parts}
  }
}
`
}
