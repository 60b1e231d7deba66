/** The entry file of a profile directory, `platform.json`. */

import { readFile } from 'node:fs/promises'
import { isAbsolute, join, normalize } from 'node:path'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { decode } from '../rdf/parse.ts'
import { readJson } from '../rdf/reading/json-tree.ts'
import type { Entry, ResourceType } from './profile.ts'
import type { ProfilePlace, Problems } from './profile-problems.ts'

export type EntryFile = {
  readonly name: string
  readonly id: string
  readonly version: string
  /** Absent when the file only adds resource types: then the built-in shapes serve. */
  readonly core?: readonly LocatedEntry<Entry>[]
  readonly resources: readonly LocatedEntry<DeclaredType>[]
}

/** The second name is that of a related system, whose profiles are read as they are. */
const names = ['platform.json', 'piveau.json']

// The parts of the file are read one by one, so that one message can name what is wrong with all of them.
const jsonObject = z.record(z.string(), z.unknown())
const jsonArray = z.array(z.unknown())
const version = z.literal('1', { error: 'version must be "1", the only one there is' })

/** The first of the names that there is a file of. */
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

/** The text of the file when it is JSON. */
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

/** Places in the file by the path of a value. */
function openEntryText(name: string, text: string, problems: Problems): EntryText {
  const line = jsonLines(text)
  return {
    problems,
    at: (path, label = path.map(String).join('.')) => ({
      file: name,
      line: line(path),
      ...(label !== '' && { property: label }),
    }),
  }
}

/** Reads and checks the entry file; whatever is wrong goes to `problems`, `undefined` when nothing can be read. */
export async function readEntryFile(
  directory: string,
  problems: Problems,
): Promise<EntryFile | undefined> {
  const found = await readFirst(directory)
  if (!found) {
    problems.add({ file: names[0] ?? '' }, `is missing in ${directory}`)
    return undefined
  }
  const { name } = found
  const json = checkedText(name, found.bytes, problems)
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

/** Finds the line of the value at a path, else of the nearest one around it. The text must be legal JSON. */
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

// Reads values of the entry file and reports by line what is wrong with them.

/** The entry file while it is being read. */
type EntryText = {
  readonly problems: Problems
  /** The place of the value at a path; `label` names it for the reader, by default the path does. */
  readonly at: (path: readonly PropertyKey[], label?: string) => ProfilePlace
}

/** The value by its schema; what is wrong goes to the problems, `undefined` when it cannot be used. */
function parseValue<T>(
  { problems, at }: EntryText,
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly PropertyKey[],
): T | undefined {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues) problems.add(at([...path, ...issue.path]), issue.message)
  return undefined
}

/** Whether a path of the entry file points out of the profile directory. */
export const pointsOutside = (path: string): boolean =>
  isAbsolute(path) || normalize(path).split(/[\\/]/)[0] === '..' || path.includes('\\')

/** Why a text cannot be the full IRI that an entry must give; `undefined` when it can. */
function iriProblem(iri: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(iri)) return 'is not a full IRI'
  const isPrefixed = /^[\w-]+:[\w-]+$/.test(iri) && !iri.startsWith('urn:')
  return isPrefixed ? 'is a prefixed name, not a full IRI' : undefined
}

// The entries of `core` (datasets and catalogues) and of `resources` (types of records that the profile adds).

/** An entry and where its keys stand. */
export type LocatedEntry<T> = {
  readonly entry: T
  readonly at: (...path: PropertyKey[]) => ProfilePlace
}

/** A type before its shape is compiled. */
export type DeclaredType = Omit<ResourceType, 'shape'>

/** The keys that all entries have. */
const entry = z.object({
  id: z.string(),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
})

/** A custom type; the names of its search settings are those of the index that related systems use. */
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
  .transform(({ searchSettings, ...rest }): DeclaredType => {
    const { max_agg_size: facetSize, max_result_window: window, facets } = searchSettings
    return { ...rest, search: { facetSize, window, facets } }
  })

/** The core entries that there are, and ids that are taken by the platform's own indices. */
const coreIds: readonly string[] = ['dataset', 'catalog']
const reservedIds: ReadonlySet<string> = new Set(['dataset', 'catalog', 'catalogue', 'vocabulary'])

/** The entries of one kind that can be read, each with a file inside the directory and full IRIs. */
function entriesOf<T extends z.infer<typeof entry> & { readonly typeUri?: string }>(
  text: EntryText,
  key: string,
  schema: z.ZodType<T>,
  values: readonly unknown[],
): readonly LocatedEntry<T>[] {
  return values.flatMap((value, index): LocatedEntry<T>[] => {
    const one = parseValue(text, schema, value, [key, index])
    if (!one) return []
    const at = (...path: PropertyKey[]) => text.at([key, index, ...path], `${key} "${one.id}"`)
    if (key === 'core' && !coreIds.includes(one.id)) {
      text.problems.warn(at(), 'is not indexed: only dataset and catalog are')
      return []
    }
    if (pointsOutside(one.path))
      text.problems.add(at('path'), `path "${one.path}" leaves the directory`)
    for (const name of ['shapeUri', 'typeUri'] as const) {
      const iri = one[name]
      const fault = iri === undefined ? undefined : iriProblem(iri)
      if (fault !== undefined) text.problems.add(at(name), `${name} "${iri}" ${fault}`)
    }
    return [{ entry: one, at }]
  })
}

/** Indices are told apart without regard to case, because not every engine regards it. */
function checkIds(
  { problems }: EntryText,
  entries: readonly LocatedEntry<{ readonly id: string }>[],
): void {
  const seen = new Set<string>()
  for (const { entry: one, at } of entries) {
    const id = one.id.toLowerCase()
    if (seen.has(id)) problems.add(at('id'), 'is given twice')
    seen.add(id)
  }
}

/** The entries of `core` that can be used. */
function readCore(text: EntryText, values: readonly unknown[]): readonly LocatedEntry<Entry>[] {
  const found = entriesOf(text, 'core', entry, values)
  checkIds(text, found)
  for (const wanted of coreIds)
    if (!found.some(({ entry: { id } }) => id === wanted))
      text.problems.add(text.at(['core']), `has no entry "${wanted}"`)
  return found
}

/** The types that can be used, in the order of the file. */
function readResources(
  text: EntryText,
  values: readonly unknown[],
): readonly LocatedEntry<DeclaredType>[] {
  const found = entriesOf(text, 'resources', resourceEntry, values)
  checkIds(text, found)
  for (const { entry: one, at } of found) {
    if (reservedIds.has(one.id.toLowerCase()))
      text.problems.add(at('id'), 'is the id of a core index')
    for (const [index, { name }] of one.search.facets.entries())
      if (one.search.facets.findIndex((other) => other.name === name) < index) {
        const place = at('searchSettings', 'facets', index)
        text.problems.add(place, `facet "${name}" is given twice`)
      }
  }
  return found
}
