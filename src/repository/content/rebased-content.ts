/**
 * Content of a record under another base of IRIs. Its hash is that of the body as it was sent: it stays where the body did not name
 * the record by its IRI here, as that of a harvested record, and else is that of the same body under the new base.
 */

import { hash as digestOf } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { canonicalHash } from '../../rdf/canonical.ts'
import { joinLines, sortedLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dct, spdx } from '../../rdf/namespaces.ts'
import type { Rebase } from '../../rdf/rebase.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { storedRecord } from './catalogue-record.ts'

/** Names under both bases. */
type BothNames = { readonly old: Names; readonly present: Names }

/** Graph of a record, before and after. */
export type RebasedContent = {
  readonly content: string
  /** Hash before and after, where it differs. */
  readonly hashes?: readonly [before: string, after: string]
  /** Writes lines of this graph, also of older states, anew. */
  readonly change: (lines: string) => string
}

/** Writes the graph of a record anew; `hash` is that of the system graph, for kinds that have it there. */
export async function rebaseContent(
  { terms }: Rebase,
  names: BothNames,
  given: { readonly graph: string; readonly content: string; readonly hash?: string | undefined },
): Promise<RebasedContent> {
  const { graph, content } = given
  const recordIri = recordOf(names.old, graph)
  const recorded = recordIri === undefined ? undefined : storedRecord(content, recordIri).hash
  const before = given.hash ?? recorded
  const after =
    before === undefined ? undefined : await newHash(terms, names, { graph, content, hash: before })
  if (before === undefined || after === undefined || before === after)
    return { content: sortedLines(terms(content)), change: terms }
  const checksum = `> <${spdx('checksumValue').value}> `
  const change = (lines: string) =>
    terms(lines).replaceAll(`${checksum}"${before}" .`, `${checksum}"${after}" .`)
  return { content: sortedLines(change(content)), hashes: [before, after], change }
}

/** IRI of the catalogue record in the graph of a dataset or resource of a declared type. */
function recordOf(names: Names, graph: string): string | undefined {
  const id = names.idOf('dataset', graph)
  if (id !== undefined) return names.record(id)
  const typed = names.typedIdOf(graph)
  return typed && names.resourceRecord(typed.type, typed.id)
}

/** Hash under the new base; `undefined` where the present one does not depend on the base. */
async function newHash(
  terms: Rebase['terms'],
  names: BothNames,
  {
    graph,
    content,
    hash,
  }: { readonly graph: string; readonly content: string; readonly hash: string },
): Promise<string | undefined> {
  for (const own of ownContents(names.old, graph, content)) {
    if ((await bodyHash(own, names.old)) !== hash) continue
    return bodyHash(sortedLines(terms(own)), names.present)
  }
  return undefined
}

/** Contents without what the platform may have added to a body: the record, or dates of a catalogue. */
function ownContents(names: Names, graph: string, content: string): readonly string[] {
  const lines = content.split('\n').filter(Boolean)
  const without = (starts: readonly string[]) =>
    joinLines(lines.filter((line) => !starts.some((start) => line.startsWith(start))))
  const record = recordOf(names, graph)
  if (record !== undefined) return [without([`<${record}> `, `<${names.genid(graph)}checksum> `])]
  // Large vocabularies: their blank nodes have labels of their own.
  const isRecord = names.idOf('catalogue', graph) !== undefined
  if (!isRecord) return content.includes(names.genidPrefix) ? [] : [content]
  const [issued, modified] = ['issued', 'modified'].map(
    (name) => `<${graph}> <${dct(name).value}> `,
  )
  if (issued === undefined || modified === undefined) return [content]
  return [content, without([modified]), without([issued]), without([issued, modified])]
}

async function bodyHash(lines: string, names: Names): Promise<string | undefined> {
  const hasNodes = lines.includes(names.genidPrefix)
  try {
    return hasNodes
      ? await canonicalHash(unskolemiseLines(lines, { prefix: names.genidPrefix }))
      : digestOf('sha256', lines, 'hex')
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
