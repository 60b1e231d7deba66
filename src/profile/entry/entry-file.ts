/** The entry file of a profile directory, `platform.json`. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { decode } from '../../rdf/parse.ts'
import type { Entry } from '../fields.ts'
import type { Problems } from '../problems.ts'
import { readCore, type Placed } from './core.ts'
import { faultOfJson, jsonLines } from './json-lines.ts'
import { read, type EntryText } from './reading.ts'
import { readResources, type DeclaredType } from './resources.ts'

export type EntryFile = {
  readonly name: string
  readonly id: string
  readonly version: string
  /** Absent when the file only adds resource types: then the built-in shapes serve. */
  readonly core?: readonly Placed<Entry>[]
  readonly resources: readonly Placed<DeclaredType>[]
}

/** The second name is that of a related system, whose profiles are read as they are. */
const names = ['platform.json', 'piveau.json']

const whole = z.record(z.string(), z.unknown())
const list = z.array(z.unknown())
const version = z.literal('1', { error: 'version must be "1", the only one there is' })

async function firstOf(directory: string): Promise<{ name: string; bytes: Buffer } | undefined> {
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
function textOf(name: string, bytes: Buffer, problems: Problems): string | undefined {
  try {
    const text = decode(bytes)
    const fault = faultOfJson(text)
    if (!fault) return text
    problems.add({ file: name, line: fault.line }, fault.message)
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    for (const { line, detail } of cause.errors)
      problems.add({ file: name, ...(line !== undefined && { line }) }, detail)
  }
  return undefined
}

function entryText(name: string, text: string, problems: Problems): EntryText {
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
  const found = await firstOf(directory)
  if (!found) {
    problems.add({ file: names[0] ?? '' }, `is missing in ${directory}`)
    return undefined
  }
  const { name } = found
  const json = textOf(name, found.bytes, problems)
  if (json === undefined) return undefined
  const text = entryText(name, json, problems)
  const file = read(text, whole, JSON.parse(json), [])
  if (!file) return undefined
  const core = 'core' in file ? (read(text, list, file['core'], ['core']) ?? []) : undefined
  const resources = 'resources' in file ? read(text, list, file['resources'], ['resources']) : []
  return {
    name,
    id: read(text, z.string(), file['id'], ['id']) ?? '',
    version: read(text, version, file['version'], ['version']) ?? '',
    ...(core && { core: readCore(text, core) }),
    resources: readResources(text, resources ?? []),
  }
}
