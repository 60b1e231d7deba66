/** Reads and checks `platform.json`, the entry file of a profile directory. */

import { readFile } from 'node:fs/promises'
import { isAbsolute, join, normalize } from 'node:path'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { decode } from '../rdf/parse.ts'
import { readJson } from '../rdf/reading/json-tree.ts'
import type { Entry, ResourceType } from './profile.ts'
import type { ProfilePlace, Problems } from './profile-problems.ts'

/** Content of the entry file after its checks. */
export type EntryFile = {
  /** Name of the file. */
  readonly name: string
  readonly id: string
  readonly version: string
  /** Absent when the file only adds resource types; the built-in shapes are used then. */
  readonly core?: readonly LocatedEntry<Entry>[]
  readonly resources: readonly LocatedEntry<DeclaredType>[]
}

/** Names of the entry file; the second is that of a related system, whose profiles can be used unchanged. */
const names = ['platform.json', 'piveau.json']

// The parts of the file are read one by one, so that one message can name the problems of all of them.
const jsonObject = z.record(z.string(), z.unknown())
const jsonArray = z.array(z.unknown())
const version = z.literal('1', { error: 'version must be "1", the only one there is' })

/** Reads the first of the files that exists. */
async function readFirst(directory: string): Promise<{ name: string; bytes: Buffer } | undefined> {
  for (const name of names) {
    try {
      return { name, bytes: await readFile(join(directory, name)) }
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    }
  }
  return undefined
}

/** Text of the file if it is JSON; otherwise `undefined`, and the faults are reported. */
function checkedText(name: string, bytes: Buffer, problems: Problems): string | undefined {
  try {
    const text = decode(bytes)
    readJson(text)
    return text
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    for (const { line, detail } of cause.errors) problems.add({ file: name, line }, detail)
  }
  return undefined
}

/** Entry file with the places of its values. */
function openEntryText(name: string, text: string, problems: Problems): EntryText {
  const line = jsonLines(text)
  return {
    problems,
    placeOf: (path, label = path.map(String).join('.')) => ({
      file: name,
      line: line(path),
      ...(label !== '' && { property: label }),
    }),
  }
}

/** Reads and checks the entry file. Adds what is wrong to `problems`; returns `undefined` when nothing can be read. */
export async function readEntryFile(
  directory: string,
  problems: Problems,
): Promise<EntryFile | undefined> {
  const content = await readFirst(directory)
  if (!content) {
    problems.add({ file: names[0] ?? '' }, `is missing in ${directory}`)
    return undefined
  }
  const { name } = content
  const json = checkedText(name, content.bytes, problems)
  if (json === undefined) return undefined
  const text = openEntryText(name, json, problems)
  const file = parseValue(text, jsonObject, JSON.parse(json), [])
  if (!file) return undefined
  const core =
    'core' in file ? (parseValue(text, jsonArray, file['core'], ['core']) ?? []) : undefined
  const resources =
    'resources' in file ? parseValue(text, jsonArray, file['resources'], ['resources']) : []
  return {
    name,
    id: parseValue(text, z.string(), file['id'], ['id']) ?? '',
    version: parseValue(text, version, file['version'], ['version']) ?? '',
    ...(core && { core: readCore(text, core) }),
    resources: readResources(text, resources ?? []),
  }
}

/** Returns a function that finds the line of the value at a path, or of the nearest value around it. `text` must be JSON. */
export function jsonLines(text: string): (path: readonly PropertyKey[]) => number {
  const lines = new LineCounter()
  // JSON is YAML (YAML 1.2, 1.2).
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
}

// Values of the entry file, whose problems are reported with their lines.

/** The entry file while it is being read. */
type EntryText = {
  readonly problems: Problems
  /** Place of the value at a path; `label` names it for readers, by default its path. */
  readonly placeOf: (path: readonly PropertyKey[], label?: string) => ProfilePlace
}

/** Value parsed by a schema; `undefined` when it is invalid, which is reported. */
function parseValue<T>(
  { problems, placeOf }: EntryText,
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly PropertyKey[],
): T | undefined {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues)
    problems.add(placeOf([...path, ...issue.path]), issue.message)
  return undefined
}

/** Whether a path of the entry file points outside of the profile directory. */
export const pointsOutside = (path: string): boolean =>
  isAbsolute(path) || normalize(path).split(/[\\/]/)[0] === '..' || path.includes('\\')

/** Reason why a text is not a full IRI, as the end of a sentence; `undefined` when it is one. */
function iriProblem(iri: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(iri)) return 'is not a full IRI'
  const isPrefixed = /^[\w-]+:[\w-]+$/.test(iri) && !iri.startsWith('urn:')
  return isPrefixed ? 'is a prefixed name, not a full IRI' : undefined
}

// The entries of `core` (datasets and catalogues) and of `resources` (types of records that the profile adds).

/** Entry, and a function that returns the place of one of its keys in the file. */
export type LocatedEntry<T> = {
  readonly entry: T
  readonly placeOf: (...path: PropertyKey[]) => ProfilePlace
}

/** Resource type whose shape is not yet compiled. */
export type DeclaredType = Omit<ResourceType, 'shape'>

/** Keys that all entries have. */
const entry = z.object({
  id: z.string(),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
})

/** Custom resource type; the names of its search settings are those of related systems. */
const resourceEntry = z
  .object({
    ...entry.shape,
    id: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'an id is up to 64 letters, digits and -' }),
    typeUri: z.string(),
    inCatalogue: z.boolean().default(false),
    searchSettings: z
      .object({
        max_agg_size: z.int().min(1).default(50),
        max_result_window: z.int().min(1).default(10_000),
        facets: z
          .array(
            z
              .object({ name: z.string().min(1), title: z.string().optional(), path: z.string() })
              .transform(({ title, ...facet }) => ({ ...facet, title: title ?? facet.name })),
          )
          .default([]),
      })
      .prefault({}),
  })
  .transform(({ searchSettings, ...members }): DeclaredType => {
    const { max_agg_size: facetSize, max_result_window: window, facets } = searchSettings
    return { ...members, search: { facetSize, window, facets } }
  })

/** Ids of the core entries, and ids of the platform's own indices, which resource types cannot have. */
const coreIds: readonly string[] = ['dataset', 'catalog']
const reservedIds: ReadonlySet<string> = new Set(['dataset', 'catalog', 'catalogue', 'vocabulary'])

/**
 * Entries of one kind that fit their schema; reports the others, paths outside of the directory and IRIs that are not full. An
 * entry of `core` that is not indexed is left out with a warning.
 */
function entriesOf<T extends z.infer<typeof entry> & { readonly typeUri?: string }>(
  text: EntryText,
  key: string,
  schema: z.ZodType<T>,
  values: readonly unknown[],
): readonly LocatedEntry<T>[] {
  return values.flatMap((value, index): LocatedEntry<T>[] => {
    const parsed = parseValue(text, schema, value, [key, index])
    if (!parsed) return []
    const placeOf = (...path: PropertyKey[]) =>
      text.placeOf([key, index, ...path], `${key} "${parsed.id}"`)
    if (key === 'core' && !coreIds.includes(parsed.id)) {
      text.problems.warn(placeOf(), 'is not indexed: only dataset and catalog are')
      return []
    }
    if (pointsOutside(parsed.path))
      text.problems.add(placeOf('path'), `path "${parsed.path}" leaves the directory`)
    for (const name of ['shapeUri', 'typeUri'] as const) {
      const iri = parsed[name]
      const problem = iri === undefined ? undefined : iriProblem(iri)
      if (problem !== undefined) text.problems.add(placeOf(name), `${name} "${iri}" ${problem}`)
    }
    return [{ entry: parsed, placeOf }]
  })
}

/** Reports ids that occur twice, without regard to case, because not every search engine distinguishes it. */
function checkIds(
  { problems }: EntryText,
  entries: readonly LocatedEntry<{ readonly id: string }>[],
): void {
  const ids = new Set<string>()
  for (const { entry: declared, placeOf } of entries) {
    const id = declared.id.toLowerCase()
    if (ids.has(id)) problems.add(placeOf('id'), 'is given twice')
    ids.add(id)
  }
}

/** Entries of `core` by `entriesOf`; reports missing ones, too. */
function readCore(text: EntryText, values: readonly unknown[]): readonly LocatedEntry<Entry>[] {
  const located = entriesOf(text, 'core', entry, values)
  checkIds(text, located)
  for (const id of coreIds)
    if (!located.some(({ entry }) => entry.id === id))
      text.problems.add(text.placeOf(['core']), `has no entry "${id}"`)
  return located
}

/** Resource types by `entriesOf`, in the order of the file; reports reserved ids and repeated facets, too. */
function readResources(
  text: EntryText,
  values: readonly unknown[],
): readonly LocatedEntry<DeclaredType>[] {
  const located = entriesOf(text, 'resources', resourceEntry, values)
  checkIds(text, located)
  for (const { entry: type, placeOf } of located) {
    if (reservedIds.has(type.id.toLowerCase()))
      text.problems.add(placeOf('id'), 'is the id of a core index')
    for (const [index, { name }] of type.search.facets.entries())
      if (type.search.facets.findIndex((other) => other.name === name) < index) {
        const place = placeOf('searchSettings', 'facets', index)
        text.problems.add(place, `facet "${name}" is given twice`)
      }
  }
  return located
}
