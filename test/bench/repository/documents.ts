/** Datasets in Turtle from the catalogue generator, alone and many in one body, under as many names as are wanted. */

import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Documents of one dataset each, in `{folder}/datasets`. */
export async function documents(folder: string): Promise<string[]> {
  const names = (await readdir(join(folder, 'datasets'), { recursive: true }))
    .filter((name) => name.endsWith('.ttl'))
    .sort()
  return Promise.all(names.map((name) => readFile(join(folder, 'datasets', name), 'utf8')))
}

/** The n-th dataset of an endless row: documents come again under other identifiers. */
export function dataset(pool: readonly string[], n: number): string {
  const text = pool[n % pool.length] ?? ''
  const id = /dct:identifier "([^"]+)"/.exec(text)?.[1] ?? ''
  return text.replaceAll(id, `bench-${n}`)
}

/** Datasets `from` to `from + count` in one body. */
export function bulkBody(pool: readonly string[], from: number, count: number): string {
  const texts = Array.from({ length: count }, (_, n) => dataset(pool, from + n))
  const prefixes = new Set(texts.flatMap((text) => text.match(/^@prefix .*$/gm) ?? []))
  return [...prefixes, ...texts.map((text) => text.replaceAll(/^@prefix .*$/gm, ''))].join('\n')
}

/** Ground triples about as large as what the repository stores of a dataset. */
export const ground = (ntriples: string): string =>
  ntriples.replaceAll(/_:(\w+)/g, '<urn:bench:node:$1>')
