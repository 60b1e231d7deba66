/**
 * Form model: which fields a form for one kind of record has, in which sections, and which editor each needs. It follows from the
 * compiled profile and from the shapes that check records, so that any profile has its form without code.
 */

import { termText } from '../rdf/lines.ts'
import { localName } from '../rdf/iri.ts'
import { dcat, rdf } from '../rdf/namespaces.ts'
import {
  type Group,
  mergeFacts,
  type PropertyFacts,
  type ShapeFacts,
  shapeFacts,
  shippedFacts,
  type Texts,
} from './constraints.ts'
import { type Editor, editorOf, type FormPart, partOf, vocabularyOf } from './form-editors.ts'
import type { Field, MappingClass, Profile } from './profile.ts'

/** Field of a form, as `GET /profile/forms/{type}` answers it. */
export type FormField = {
  readonly name: string
  /** Predicates whose values are shown; new values get the first. */
  readonly path: readonly string[]
  readonly label?: Texts
  readonly help?: Texts
  readonly need: 'required' | 'recommended' | 'optional'
  readonly single: boolean
  readonly editor: Editor
  readonly mappingClass?: MappingClass
  readonly nested?: NestedForm
  readonly order: number
  /** Permitted values in N-Triples. */
  readonly in?: readonly string[]
  readonly defaultValue?: string
  readonly datatype?: readonly string[]
} & Pick<
  PropertyFacts,
  | 'nodeKind'
  | 'pattern'
  | 'bounds'
  | 'message'
  | 'vocabulary'
  | 'languages'
  | 'uniqueLang'
  | 'eachOf'
  | 'copyOf'
>

/** Form of the resource that a field links. */
type NestedForm = {
  /** Class of new resources. */
  readonly class: string
  readonly fields: readonly FormField[]
}

/** Fields on one page of a form; without label, the user interface has a text for the id. */
type Section = {
  readonly id: string
  readonly label?: Texts
  readonly fields: readonly FormField[]
}

/** Form of one kind of record: its class and its sections in order. */
export type FormModel = {
  readonly class: string
  /** Whether the profile ships with the platform, for whose fields user interfaces have words of their own. */
  readonly builtIn: boolean
  readonly sections: readonly Section[]
}

/** Paths that the platform writes itself. */
const ownPaths: ReadonlySet<string> = new Set(
  [rdf('type'), dcat('dataset'), dcat('record')].map(({ value }) => value),
)

/** Classes of fields that only the platform fills. */
const filledClasses: ReadonlySet<MappingClass> = new Set([
  'Metrics',
  'MetadataExtension',
  'TranslationMeta',
  'DistributionType',
])

type Facts = Partial<PropertyFacts>

/** Facts of all shapes, with their look-ups. */
type Sources = {
  /** Facts of the profile's shapes. */
  readonly profile: readonly ShapeFacts[]
  /** Facts of the shapes that check records. */
  readonly checks: readonly ShapeFacts[]
}

/** Properties of the shape itself, then of others of the profile for the class. */
const shapesFor = ({ profile }: Sources, iri: string, cls: string) => [
  ...profile.filter((shape) => shape.iri === iri),
  ...profile.filter((shape) => shape.iri !== iri && shape.classes.includes(cls)),
]

/** Position in the tree: the shape whose fields are made, its class, and the shapes around. */
type Site = { readonly shape: string; readonly class: string; readonly around: readonly string[] }

type Placed = FormField & { readonly group?: Group | undefined }

function factsOf(
  sources: Sources,
  site: Site,
  wanted: { name?: string; paths: readonly string[] },
) {
  const own = shapesFor(sources, site.shape, site.class).flatMap(({ properties }) => properties)
  const byName = own.filter(({ name }) => name !== undefined && name === wanted.name)
  const matches = ({ paths }: PropertyFacts) => paths.some((path) => wanted.paths.includes(path))
  const checks = sources.checks
    .filter(({ classes }) => classes.includes(site.class))
    .flatMap(({ properties }) => properties.filter(matches))
  const rest = own.filter((facts) => facts.name === undefined && matches(facts))
  const facts = [...byName, ...rest].reduce<Facts>(mergeFacts, {})
  // Help and labels of the checks are the words of a validator.
  return checks.reduce<Facts>(mergeFacts, facts)
}

function placedField(
  facts: Facts,
  field: {
    name: string
    paths: readonly string[]
    mapping?: MappingClass
    single?: boolean
    editor?: Editor
    vocabulary?: string
  },
  nested: NestedForm | undefined,
): Placed {
  const { mapping, name, paths } = field
  const vocabulary = facts.vocabulary ?? field.vocabulary ?? (mapping && vocabularyOf(mapping))
  const { label, help, nodeKind, pattern, bounds, message } = facts
  const { languages, uniqueLang, eachOf, copyOf, group } = facts
  const shown = { label, help, message, group }
  const known = { ...shown, nodeKind, pattern, bounds, languages, uniqueLang, eachOf, copyOf }
  return {
    name,
    path: paths,
    need: facts.need ?? 'optional',
    single: field.single === true || facts.single === true,
    editor: field.editor ?? editorOf(mapping, facts, nested !== undefined),
    ...(mapping && { mappingClass: mapping }),
    ...(facts.datatypes && { datatype: facts.datatypes }),
    ...(vocabulary !== undefined && { vocabulary }),
    ...(facts.in && { in: facts.in.map(termText) }),
    ...(facts.defaultValue && { defaultValue: termText(facts.defaultValue) }),
    ...withoutUndefined(known),
    ...(nested && { nested }),
    order: facts.order ?? Infinity,
  }
}

const withoutUndefined = <T extends object>(value: T) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the keys
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>
  }

/** Fields of a resource: those of documents, then those that shapes alone demand. */
function fieldsAt(
  sources: Sources,
  site: Site,
  fields: readonly (Field | FormPart)[],
): readonly Placed[] {
  const mapped = fields.flatMap((field) => {
    const facts = factsOf(sources, site, field)
    const isShown =
      field.paths.length > 0 && !filledClasses.has(field.mapping) && !facts.isDeactivated
    return isShown ? [placedField(facts, field, nestedOf(sources, site, field, facts))] : []
  })
  const covered = new Set([...ownPaths, ...fields.flatMap(({ paths }) => paths)])
  const names = new Set(mapped.map(({ name }) => name))
  const extra = shapesFor(sources, site.shape, site.class)
    .flatMap(({ properties }) => properties)
    .filter(({ name, isDeactivated }) => name === undefined && !isDeactivated)
    .flatMap((own) => {
      const name = freeName(localName(own.paths[0] ?? ''), names)
      if (own.paths.some((path) => covered.has(path)) || !constrains(own)) return []
      for (const path of own.paths) covered.add(path)
      names.add(name)
      const facts = factsOf(sources, site, { paths: own.paths })
      return [placedField(facts, { name, paths: own.paths }, nestedByClass(sources, site, facts))]
    })
  return [...mapped, ...extra].sort((a, b) => (a.order === b.order ? 0 : a.order - b.order))
}

/** Name for a field of a shape without annotations, which other fields do not have. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const name = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '').replace(/^[^A-Za-z]+/, '') || 'property'
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`
  return free
}

/** Whether a property shape says more than that there is such a property. */
const constrains = ({
  paths: _paths,
  label: _label,
  help: _help,
  message: _message,
  ...facts
}: PropertyFacts) => Object.keys(facts).length > 0

/** Form of a nested resource: from `mappingLink` and `mappingProperty`, or the parts of a described value. */
function nestedOf(
  sources: Sources,
  site: Site,
  field: Field | FormPart,
  facts: Facts,
): NestedForm | undefined {
  const parts = partOf(field.mapping)
  // A value that is only named in words is a concept where a shape names a vocabulary.
  if (field.mapping === 'LabeledResource' && facts.vocabulary !== undefined) return undefined
  if (parts) {
    const cls = parts.class
    return {
      class: cls,
      fields: plain(fieldsAt(sources, { shape: '', class: cls, around: [] }, parts.fields)),
    }
  }
  if (!('children' in field) || field.mapping !== 'Nested' || field.tooDeep) return undefined
  const shape = field.link ?? ''
  const cls = sources.profile.find(({ iri }) => iri === shape)?.classes[0] ?? rdf('Resource').value
  const around = [...site.around, site.shape]
  const fields = plain(fieldsAt(sources, { shape, class: cls, around }, field.children))
  return fields.length > 0 ? { class: cls, fields } : undefined
}

/** Form of values of a class that the profile has a shape for; none inside of itself. */
function nestedByClass(
  sources: Sources,
  site: Site,
  { classes = [] }: Facts,
): NestedForm | undefined {
  const shape = sources.profile.find((candidate) =>
    candidate.classes.some((cls) => classes.includes(cls)),
  )
  const cls = shape?.classes.find((candidate) => classes.includes(candidate))
  const around = [...site.around, site.shape]
  if (!shape || cls === undefined || around.includes(shape.iri) || around.length > 3)
    return undefined
  const fields = plain(fieldsAt(sources, { shape: shape.iri, class: cls, around }, []))
  return fields.length > 0 ? { class: cls, fields } : undefined
}

/** Fields with their place as whole numbers from 0. */
const plain = (fields: readonly Placed[]): readonly FormField[] =>
  fields.map(({ group: _group, ...field }, order) => ({ ...field, order }))

/** Most fields of a nested resource inside the form of its parent. */
const mostInline = 3

/** Whether the resources of a field have pages of their own. */
const hasPages = ({ mappingClass, nested }: FormField): boolean =>
  nested !== undefined &&
  nested.fields.length > mostInline &&
  !(mappingClass && partOf(mappingClass))

/** Sections by `sh:group`; without groups by how much each field is needed. */
function sectionsOf(fields: readonly Placed[]): readonly Section[] {
  const groups = [
    ...new Map(fields.flatMap(({ group }) => (group ? [[group.id, group] as const] : []))).values(),
  ]
  const isGrouped = groups.length > 0
  const idOf = (field: Placed) =>
    field.group?.id ??
    (isGrouped
      ? 'rest'
      : hasPages(field)
        ? field.name
        : field.need !== 'optional' || field.editor === 'prose' || field.name === 'title'
          ? 'essentials'
          : 'rest')
  const ids = isGrouped
    ? [...groups.toSorted((a, b) => a.order - b.order).map(({ id }) => id), 'rest']
    : ['essentials', ...fields.filter(hasPages).map(({ name }) => name), 'rest']
  const sections = [...new Set(ids)].map((id) => {
    const label = groups.find((group) => group.id === id)?.label
    const members = fields.filter((field) => idOf(field) === id)
    return {
      id,
      ...(label && { label }),
      fields: plain(id === 'rest' ? byLabel(members) : members),
    }
  })
  return sections.filter((section) => section.fields.length > 0)
}

const byLabel = (fields: readonly Placed[]) =>
  fields.toSorted((a, b) => labelFor(a).localeCompare(labelFor(b)))

const labelFor = ({ label, name }: FormField) =>
  label?.['en'] ?? label?.[''] ?? name.replaceAll('_', ' ')

/**
 * Form models of a profile by type: `datasets`, `catalogues` and the ids of declared types; `undefined` for any other. Resolves
 * after the shapes are read.
 */
export async function formModels(
  profile: Profile,
): Promise<(type: string) => FormModel | undefined> {
  const [own, checks] = await Promise.all([shapeFacts(profile.shapes), shippedFacts()])
  const sources = { profile: own, checks }
  return (type) => {
    const declared = profile.resources.find(({ id }) => id === type)
    const shape =
      type === 'datasets'
        ? profile.dataset
        : type === 'catalogues'
          ? profile.catalogue
          : declared?.shape
    if (!shape) return undefined
    const { iri, targetClass, fields } = shape
    const cls = declared?.typeUri ?? targetClass
    const placed = fieldsAt(sources, { shape: iri, class: cls, around: [] }, fields)
    return { class: cls, builtIn: profile.builtIn, sections: sectionsOf(placed) }
  }
}
