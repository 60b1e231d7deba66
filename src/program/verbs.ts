/** Table of the verbs of the program `cartulary`. A new verb is a row here. */

import { fileURLToPath } from 'node:url'
import { repositoryPath, ScriptFailure } from '../config/script.ts'
import { Failure, WrongUsage } from '../errors.ts'
import { sendCommand, consoleVerbs } from './console-verbs.ts'
import { completionVerb } from './completion.ts'
import { dataVerbs } from './data-verbs.ts'
import { exportVerb } from './export-verb.ts'
import { type Call, exitCodes, type Verb } from './verb.ts'

// Modules of a verb are imported when it runs, so that the others start faster.

const startOptions = [
  ['--adopt', 'the store becomes that of this data directory, whoever wrote it before'],
  ['--empty', 'the store is empty, and that is right: begins anew beside what else is there'],
  ['--reset <file...>', 'sets a file aside and begins it anew: harvest or triggers'],
] as const

const start = (name: 'start' | 'demo', summary: string): Verb => ({
  name,
  summary,
  example: name === 'demo' ? 'demo' : 'start --data /var/lib/cartulary',
  options: name === 'demo' ? [] : startOptions,
  run: async ({ flag, list, signal }) => {
    const { runPlatform } = await import('../main.ts')
    const [adopt, empty] = [flag('adopt'), flag('empty')]
    await runPlatform({ isDemo: name === 'demo', adopt, empty, reset: list('reset') }, signal)
  },
})

const check: Verb = {
  name: 'check',
  summary: 'checks configuration, profile, pipes and data directory; prints the settings in force',
  example: 'check --connect',
  options: [['--connect', 'asks the triplestore and the search engine, too']],
  run: async ({ flag, isJson, isQuiet, signal, print }) => {
    const { checkInstallation } = await import('../main/check.ts')
    const checked = await checkInstallation(process.env, { connect: flag('connect') }, signal)
    const lines = checked.parts.flatMap(({ part, says, problems }) => [
      `${part.padEnd(14)} ${says}`,
      ...problems.map((problem) => `! ${problem}`),
    ])
    const settings = Object.entries(isQuiet ? {} : (checked.settings ?? {}))
    const shown = settings.map(([name, value]) => `  ${name.padEnd(14)} ${JSON.stringify(value)}`)
    await print(isJson ? `${JSON.stringify(checked)}\n` : `${[...lines, ...shown].join('\n')}\n`)
    const isSound = checked.parts.every(({ problems }) => problems.length === 0)
    return isSound ? exitCodes.done : exitCodes.problemsFound
  },
}

const status: Verb = {
  name: 'status',
  summary: 'shows the health of a running platform',
  example: 'status --json',
  run: async ({ server, isJson, signal, print }) => {
    const { origin } = new URL(await server(''))
    const answer = await fetch(`${origin}/health`, { signal })
    const text = await answer.text()
    if (!answer.headers.get('Content-Type')?.startsWith('application/json'))
      throw new ScriptFailure(`${origin}/health: no platform answers there (${answer.status})`)
    const health: Record<string, unknown> = JSON.parse(text)
    const lines = Object.entries(health).map(
      ([name, value]) => `${name.padEnd(12)} ${valueText(value)}`,
    )
    await print(isJson ? `${JSON.stringify(health)}\n` : `${lines.join('\n')}\n`)
    return answer.ok ? exitCodes.done : exitCodes.failed
  },
}

/** Value of a member of `/health` in one line: `ready true, quads 3`. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? '–')
  const members = Object.entries(value).map(([name, inner]) => {
    const text = typeof inner === 'string' ? inner : JSON.stringify(inner)
    return Array.isArray(value) ? text : `${name} ${text}`
  })
  return members.join(', ') || '–'
}

const importVerb: Verb = {
  name: 'import',
  words: '<file...>',
  summary: 'brings DCAT documents (files, addresses, or - for standard input) into catalogues',
  example: 'import rivers.ttl --catalogue rivers',
  options: [
    ['--catalogue <id>', 'everything goes into this one (default: the catalogues of the document)'],
    ['--update-catalogue', 'replaces the description of a catalogue that exists'],
    ['--format <name>', 'turtle, trig, ntriples, nquads, rdfxml, jsonld, n3, or a suffix'],
    ['--base <iri>', 'what relative references are resolved against'],
  ],
  run: async (call) => {
    const { isId } = await import('../rdf/ids.ts')
    const { isIri } = await import('../rdf/iri.ts')
    const [catalogue, base] = [call.text('catalogue'), call.text('base')]
    if (catalogue !== undefined && !isId(catalogue))
      throw new WrongUsage(`--catalogue ${catalogue}: letters, digits, _ ~ - only, at most 255`)
    if (base !== undefined && !isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
    const codes: number[] = []
    for (const location of call.words) codes.push(await importOne(call, location))
    return codes.find((code) => code !== exitCodes.done)
  },
}

/** Imports one document; resolves with the exit code. */
async function importOne(call: Call, location: string): Promise<number> {
  const { openDocument } = await import('../rdf/open-document.ts')
  const { importDump } = await import('../harvest/importing/dump.ts')
  const { summaryText } = await import('../harvest/importing/command-line.ts')
  const { text, flag, progress, signal, isJson } = call
  const [format, baseIri, catalogue] = [text('format'), text('base'), text('catalogue')]
  const opened = { location, format, baseIri, stdin: process.stdin }
  const [service, key] = [await call.server(repositoryPath), await call.key()]
  const document = await openDocument(opened, signal)
  const options = { service, key, catalogue, updateCatalogue: flag('update-catalogue') }
  const onProgress = ({ phase, done, total }: { phase: string; done: number; total?: number }) =>
    progress.show({ what: phase, done, total, unit: phase === 'reading' ? 'MB' : 'datasets' })
  const summary = await importDump(document, { ...options, progress: onProgress }, signal)
    .catch((error: unknown) => {
      throw withLocation(error, document.name)
    })
    .finally(progress.clear)
  await call.print(isJson ? `${JSON.stringify({ location, ...summary })}\n` : summaryText(summary))
  if (summary.endReason !== undefined) return exitCodes.failed
  if (summary.failed === 0) return exitCodes.done
  const written = summary.created + summary.updated + summary.unchanged
  return written > 0 ? exitCodes.partlyDone : exitCodes.failed
}

/**
 * Describes a fault of the document in the form that editors understand: document, line, column. Other errors stay as they are.
 */
function withLocation(error: unknown, name: string): unknown {
  const words = (text: string) => new ScriptFailure(`${text}\nnothing was sent`, { cause: error })
  if (error instanceof ScriptFailure) return words(`${name}: ${error.message}`)
  if (!(error instanceof Failure)) return error
  const [{ line, column, detail } = { detail: '' }] = error.errors
  const place = [name, line, column].filter((part) => part !== undefined).join(':')
  return words(`${place}: ${line === undefined ? `${error.kind}: ${error.detail}` : detail}`)
}

const console: Verb = {
  name: 'console',
  usage: '<command> [words and options of the command]',
  summary: 'runs a command in the console of the platform; "console help" lists them',
  example: 'console launch county-archive -v',
  run: async (call) => {
    if (call.words.length === 0) throw new WrongUsage('which command? "console help" lists them')
    await sendCommand(call, call.words)
  },
}

const bundled = fileURLToPath(new URL('../../shapes/vocabularies', import.meta.url))

const sourceOptions = [
  ['--official', 'the full tables from the Publications Office of the EU'],
  ['--from <place>', 'this file or address; needs exactly one id'],
] as const

const vocabularies = (name: 'list' | 'install' | 'check', summary: string): Verb => ({
  name: `vocabularies ${name}`,
  ...(name !== 'list' && { words: '[id...]' }),
  summary,
  example: `vocabularies ${name}${name === 'install' ? ' licence --official' : ''}`,
  options: name === 'install' ? sourceOptions : [],
  run: async (call) => {
    const { isId } = await import('../rdf/ids.ts')
    const { VocabularyClient } = await import('../console/vocabulary-client.ts')
    const { runVocabularyCommand } = await import('../console/vocabulary-commands.ts')
    const { words: ids, signal, key } = call
    const [isOfficial, place] = [call.flag('official'), call.text('from')]
    const invalidId = ids.find((id) => !isId(id))
    if (invalidId !== undefined)
      throw new WrongUsage(`${invalidId} is no id: letters, digits, _ ~ - only, at most 255`)
    if (isOfficial && place !== undefined)
      throw new WrongUsage('--official and --from name two sources: give one')
    if (place !== undefined && ids.length !== 1)
      throw new WrongUsage('--from needs the id of the one vocabulary that the document holds')
    const from = place === undefined ? (isOfficial ? 'official' : 'bundled') : { place }
    const repository = await call.server(repositoryPath)
    const search = repository.endsWith('/repo') && repository.replace(/repo$/, 'search')
    const client = new VocabularyClient({ repository, ...(search && { search }) }, signal)
    const lines = runVocabularyCommand({ name, ids, from }, { client, bundled, key, signal })
    let step = await lines.next()
    for (; step.done !== true; step = await lines.next())
      await call.print(`${call.isJson ? JSON.stringify({ line: step.value }) : step.value}\n`)
    if (step.value) return exitCodes.done
    return name === 'check' ? exitCodes.problemsFound : exitCodes.failed
  },
})

const profileCheck: Verb = {
  name: 'profile check',
  words: '<directory>',
  summary: 'says whether the platform takes a profile: every problem, or a summary of its fields',
  example: 'profile check shapes/default',
  run: async ({ words: [directory = ''], print }) => {
    const { checkedProfile } = await import('../projector/profile-command.ts')
    try {
      await print(await checkedProfile(directory))
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error
      process.stderr.write(`${error.message}\n`)
      return exitCodes.problemsFound
    }
    return exitCodes.done
  },
}

const profileShow: Verb = {
  name: 'profile show',
  words: '<file>',
  summary: 'shows the documents that the records of a file become, and what is left out of them',
  example: 'profile show record.ttl --profile my-profile',
  options: [
    ['--profile <directory>', 'default: the profile that comes with the platform'],
    ['--base <iri>', 'of the platform (default: http://localhost:8080/)'],
  ],
  run: async ({ words: [file = ''], text, isJson, print }) => {
    const { recordPreview } = await import('../projector/profile-command.ts')
    await print(await recordPreview({ file, profile: text('profile'), base: text('base') }, isJson))
  },
}

const configuration: Verb = {
  name: 'configuration',
  summary: 'prints the environment variables with their defaults and meanings',
  example: 'configuration --markdown',
  options: [['--markdown', 'the whole page docs/configuration.md, with new tables']],
  run: async ({ flag, print }) => {
    const { documentation, variableList } = await import('../config/settings-page.ts')
    await print(flag('markdown') ? await documentation() : variableList())
  },
}

/** All verbs, in the order of the help. */
export const verbs: readonly Verb[] = [
  start('start', 'runs the platform'),
  start('demo', 'runs a platform with sample catalogues in a temporary directory'),
  check,
  status,
  importVerb,
  exportVerb,
  ...dataVerbs,
  console,
  ...consoleVerbs(),
  vocabularies('list', 'lists the vocabularies of the platform with the number of their concepts'),
  vocabularies('install', 'puts vocabularies into the platform: without ids all that come with it'),
  vocabularies('check', "says which of SKOS's integrity conditions the stored ones break"),
  profileCheck,
  profileShow,
  configuration,
  completionVerb(() => verbs),
]
