/** Reads values of the entry file and tells by line what is wrong with them. */

import { isAbsolute, normalize } from 'node:path'
import type { z } from 'zod'
import type { Place, Problems } from '../problems.ts'

/** The entry file while it is being read. */
export type EntryText = {
  readonly problems: Problems
  /** The place of the value at a path; `label` names it for the reader, by default the path does. */
  readonly at: (path: readonly PropertyKey[], label?: string) => Place
}

/** The value by its schema; what is wrong goes to the problems, `undefined` when it cannot be used. */
export function read<T>(
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
export const leaves = (path: string): boolean =>
  isAbsolute(path) || normalize(path).split(/[\\/]/)[0] === '..' || path.includes('\\')

/** Why a text cannot be the full IRI that an entry must give; `undefined` when it can. */
export function faultOfIri(iri: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(iri)) return 'is no full IRI'
  const isPrefixed = /^[\w-]+:[\w-]+$/.test(iri) && !iri.startsWith('urn:')
  return isPrefixed ? 'is a prefixed name, not a full IRI' : undefined
}

/** Checks what entries of both kinds have: a file inside the directory and the full IRI of a shape. */
export function checkShape(
  { problems, at }: EntryText,
  { path, shapeUri }: { readonly path: string; readonly shapeUri: string },
  where: readonly PropertyKey[],
  label: string,
): void {
  if (leaves(path))
    problems.add(at([...where, 'path'], label), `path "${path}" leaves the directory`)
  const fault = faultOfIri(shapeUri)
  if (fault !== undefined)
    problems.add(at([...where, 'shapeUri'], label), `shapeUri "${shapeUri}" ${fault}`)
}
