/** Verb `export`: writes the public records of a platform as N-Quads or N-Triples, through its public API. */

import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import { refusalOf, repositoryPath, ScriptFailure } from '../config/script.ts'
import { WrongUsage } from '../errors.ts'
import { systemGraph } from '../rdf/namespaces.ts'
import { pause } from '../workers/pause.ts'
import { retry, retryAfterMs } from '../workers/retry.ts'
import { type Call, dataDirectory, type Verb } from './verb.ts'

const idsPerPage = 5000
const idsSchema = z.array(z.coerce.string())
/** Most requests of a busy platform for one document, and milliseconds between them unless it says so. */
const [mostAttempts, usualWaitMs] = [30, 2000]

/** Verb `export`. */
export const exportVerb: Verb = {
  name: 'export',
  summary:
    'writes all public catalogues, vocabularies and resources of declared types, or one catalogue',
  example: 'export --catalogue rivers --output rivers.nq',
  options: [
    ['--catalogue <id>', 'only this catalogue'],
    ['--format <format>', 'nq or nt (default: nq)'],
    ['--output <file>', 'where to; - is standard output (default: -)'],
    ['--gzip', 'compress'],
    ['--files', 'every graph of the embedded store in the data directory, as it is stored'],
    ['--all', "with --files: also the platform's own facts, for a store of your own"],
  ],
  run: async (call) => {
    const format = call.text('format') ?? 'nq'
    if (format !== 'nq' && format !== 'nt')
      throw new WrongUsage(`--format ${format}: it is nq or nt`)
    const file = call.text('output') ?? '-'
    const parts = call.flag('files')
      ? storedGraphs(call)
      : documentsOf(call, await call.server(repositoryPath), format)
    const stages = call.flag('gzip') ? [createGzip()] : []
    const { signal } = call
    if (file === '-') {
      await pipeline([Readable.from(parts), ...stages, process.stdout], { signal, end: false })
      return call.progress.clear()
    }
    try {
      // A file that is not complete never has the name of one that is.
      await pipeline([Readable.from(parts), ...stages, createWriteStream(`${file}.part`)], {
        signal,
      })
      await rename(`${file}.part`, file)
    } finally {
      call.progress.clear()
      await rm(`${file}.part`, { force: true })
    }
  },
}

/** Yields the N-Quads of the graphs of the embedded store, also while a platform runs. Rejects with `WrongUsage` where there is none. */
async function* storedGraphs({ flag, text, signal, progress }: Call) {
  if (text('catalogue') !== undefined || text('format') === 'nt')
    throw new WrongUsage('--files writes whole stores as nq')
  const { openGraphFile } = await import('../main/backup-source.ts')
  const file = openGraphFile(dataDirectory())
  try {
    const total = file.count()
    let done = 0
    for (const { name, content, links } of file.graphs()) {
      signal.throwIfAborted()
      progress.show({ what: 'exporting', done: (done += 1), total, unit: 'graphs' })
      if (name === systemGraph && !flag('all')) continue
      const lines = content.toString() + links.map((link) => `${link}\n`).join('')
      // Each line ends in ` .`, and no literal contains a line end.
      yield lines.replaceAll(' .\n', ` <${name}> .\n`)
    }
  } finally {
    file.close()
  }
}

/** Media type of each format. */
const mediaTypes = { nq: 'application/n-quads', nt: 'application/n-triples' }
/** Resources of a declared type in one document. */
const resourcesPerPage = 100

const profileSchema = z.looseObject({
  resources: z.array(z.looseObject({ id: z.string(), inCatalogue: z.boolean() })),
})

/** Yields the documents of all catalogues, vocabularies and resources of declared types, or those of one catalogue. */
async function* documentsOf(call: Call, repository: string, format: keyof typeof mediaTypes) {
  const only = call.text('catalogue')
  const catalogues = only === undefined ? await idsOf(call, repository, 'catalogues?') : [only]
  const vocabularies = only === undefined ? await idsOf(call, repository, 'vocabularies?') : []
  const paths = [
    ...vocabularies.map((id) => `vocabularies/${encodeURIComponent(id)}.${format}`),
    ...catalogues.map((id) => `catalogues/${encodeURIComponent(id)}/dump.${format}`),
    ...(await resourcePages(call, repository, only)),
  ]
  const total = paths.length
  for (const [done, path] of paths.entries()) {
    call.progress.show({ what: 'exporting', done, total, unit: 'documents' })
    const { body } = await ask(call, `${repository}/${path}`, mediaTypes[format])
    if (body) yield* body
  }
  call.progress.show({ what: 'exporting', done: total, total, unit: 'documents' })
}

/** Paths of the pages of all resources of declared types, or of those in one catalogue. */
async function resourcePages(call: Call, repository: string, catalogue: string | undefined) {
  const answer = await ask(call, `${repository}/profile`, 'application/json')
  const { resources } = profileSchema.parse(await answer.json())
  const pages: string[] = []
  for (const { id, inCatalogue } of resources) {
    if (catalogue !== undefined && !inCatalogue) continue
    const within = catalogue === undefined ? '' : `catalogId=${encodeURIComponent(catalogue)}&`
    const list = `customresources/${encodeURIComponent(id)}?${within}`
    const { length } = await idsOf(call, repository, list)
    const query = `valueType=metadata&hydra=false&graphs=true&limit=${resourcesPerPage}`
    for (let offset = 0; offset < length; offset += resourcesPerPage)
      pages.push(`${list}${query}&offset=${offset}`)
  }
  return pages
}

/** Ids of a list, whose address ends in `?` or `&`, page by page. */
async function idsOf(call: Call, repository: string, list: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const query = `valueType=identifiers&limit=${idsPerPage}&offset=${ids.length}`
    const answer = await ask(call, `${repository}/${list}${query}`, 'application/json')
    const page = idsSchema.parse(await answer.json())
    ids.push(...page)
    if (page.length < idsPerPage) return ids
  }
}

/** Gets an address; waits while the platform is busy. Rejects with `ScriptFailure`. */
async function ask({ signal }: Call, address: string, accept: string): Promise<Response> {
  const answer = await retry(() => fetch(address, { headers: { Accept: accept }, signal }), {
    delayMs: (outcome, attempt) => {
      if (!('value' in outcome) || attempt === mostAttempts) return undefined
      const { status, headers } = outcome.value
      if (status !== 429 && status !== 503) return undefined
      return retryAfterMs(headers.get('Retry-After'), Date.now()) ?? usualWaitMs
    },
    pause: (ms) => pause(ms, signal),
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new ScriptFailure(`${address}: the connection broke off`, { cause })
  })
  if (answer.ok) return answer
  throw new ScriptFailure(`${address}: ${await refusalOf(answer)}`)
}
