/** Commands about drafts and about versions of records. They call the API of the repository as the holder of the key. */

import { Failure } from '../errors.ts'
import { failureOfProblem } from '../http/problem.ts'
import { shortNames } from '../rdf/namespaces.ts'
import { listed, memberFields, textAt, textOr, valueAt } from '../text/json.ts'
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  WrongCommand,
} from './command.ts'
import { firstWord, type RecordsPart } from './console-parts.ts'
import { amount, columns } from './text-output.ts'

/** Asks the repository. Rejects with the failure that it answers. */
type Ask = (path: string, init?: RequestInit) => Promise<Response>

const asking =
  ({ ask }: RecordsPart, { key, signal }: CommandContext): Ask =>
  async (path, init) => {
    const answer = await ask(path, { ...init, signal }, key)
    if (answer.ok || answer.status === 304) return answer
    throw (
      failureOfProblem(await answer.json().catch(() => undefined)) ??
      new Failure('conflict', `the repository answered ${answer.status}`)
    )
  }

const jsonOf = async (answer: Promise<Response>): Promise<unknown> => (await answer).json()

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

const asTurtle = { headers: { Accept: 'text/turtle' } }

const typeOption = {
  type: 'string',
  value: 'type',
  meaning: 'datasets when absent; catalogues, or a type of the profile',
} as const

const typeOf = ({ text }: CommandArguments) => encodeURIComponent(text('type') ?? 'datasets')

/** Function of each action of a command, by its first word. */
type Actions<Target> = Readonly<
  Record<
    string,
    (
      ask: Ask,
      target: Target,
      args: CommandArguments,
    ) => Promise<string | readonly string[]> | AsyncIterable<string>
  >
>

/** Lines of an action, as a console shows them. */
async function* linesOf(answer: ReturnType<Actions<string>[string]>): AsyncIterable<string> {
  const lines = Symbol.asyncIterator in answer ? answer : await answer
  yield* typeof lines === 'string' ? [lines] : lines
}

// Drafts.

/** Drafts in one answer of the list. */
const perPage = 500

const day = (value: unknown, name: string) => (textAt(value, name) ?? '').slice(0, 10)

const titleOf = (draft: unknown) =>
  textAt(draft, 'title.en') ??
  Object.values(memberFields(valueAt(draft, 'title'))).find((text) => typeof text === 'string') ??
  ''

const pointsOf = (value: unknown) => {
  const score = valueAt(value, 'score')
  return typeof score === 'number' ? amount(score, 'point') : ''
}

async function* listDrafts(ask: Ask, _id: string, args: CommandArguments) {
  const query = new URLSearchParams({ limit: String(perPage) })
  for (const name of ['catalogue', 'state']) {
    const value = args.text(name)
    if (value !== undefined) query.set(name, value)
  }
  let count = 0
  let page: readonly unknown[]
  do {
    query.set('offset', String(count))
    const answer = await jsonOf(ask(`/drafts/${typeOf(args)}?${query.toString()}`))
    page = listed(valueAt(answer, 'drafts'))
    count += page.length
    yield* columns(
      page.map((draft) => [
        ...['id', 'state', 'catalogue', 'author'].map((name) => textAt(draft, name) ?? ''),
        day(draft, 'changedAt'),
        titleOf(draft),
      ]),
    )
  } while (page.length === perPage)
  yield amount(count, 'draft')
}

/** Members of a draft that `draft show` prints, where it has them. */
const shownFacts = ['id', 'state', 'catalogue', 'author', 'madeAt', 'changedAt', 'changedBy']

async function showDraft(ask: Ask, path: string) {
  const draft = await jsonOf(ask(path, { headers: { Accept: 'application/json' } }))
  const [note, by] = [textAt(draft, 'note'), textAt(draft, 'notedBy')]
  return columns(
    [
      ['title', titleOf(draft)],
      ...shownFacts.map((name) => [name, textAt(draft, name) ?? '']),
      ['points', pointsOf(draft)],
      ['publishAt', textAt(draft, 'publishAt') ?? ''],
      ['note', [note, note !== undefined && by && `(${by})`].filter(Boolean).join(' ')],
      ['may', listed(valueAt(draft, 'may')).join(' ')],
    ].filter(([, value]) => value !== ''),
  )
}

async function* checkDraft(ask: Ask, path: string) {
  const checked = await jsonOf(ask(`${path}/findings`))
  const findings = listed(valueAt(checked, 'findings'))
  yield* columns(
    findings.map((finding) => {
      const property = textAt(finding, 'path') ?? ''
      return [
        valueAt(finding, 'blocks') === true ? 'blocks' : 'better',
        shortNames().shorten(property) ?? property,
        [textAt(finding, 'message'), textAt(finding, 'value')].filter(Boolean).join(': '),
      ]
    }),
  )
  const points = pointsOf(checked)
  if (points !== '') yield points
  const blocking = findings.filter((finding) => valueAt(finding, 'blocks') === true).length
  if (blocking > 0)
    throw new Failure('conflict', `${amount(blocking, 'finding')} to correct before publication`)
  yield 'nothing blocks its publication'
}

/** Makes an action that takes a step of the API and prints the state of the draft after it. */
const stepOf =
  (name: string, bodyOf: (args: CommandArguments) => object) =>
  async (ask: Ask, path: string, args: CommandArguments) =>
    textAt(await jsonOf(ask(`${path}/${name}`, post(bodyOf(args)))), 'state') ?? ''

const noteOf = ({ text }: CommandArguments) => ({ note: text('note') })

const draftActions: Actions<string> = {
  list: listDrafts,
  show: showDraft,
  check: checkDraft,
  export: async (ask, path) => (await ask(path, asTurtle)).text(),
  submit: stepOf('submit', noteOf),
  publish: async (ask, path) => {
    await ask(path.replace(/\/([^/]+)$/, '/publish/$1'), { method: 'PUT' })
    return 'published'
  },
  schedule: stepOf('schedule', ({ text }) => ({ publishAt: text('at') })),
  return: stepOf('return', noteOf),
  discard: async (ask, path) => {
    await ask(path, { method: 'DELETE' })
    return 'thrown away; "draft restore" takes it back in the next 30 days'
  },
  restore: stepOf('restore', () => ({})),
}

const draftWords = Object.keys(draftActions).join('|')

/** Command `draft`: lists drafts, or takes one of the steps that the API of drafts has. */
export const draftCommand = (part: RecordsPart): Command => ({
  name: 'draft',
  words: `<${draftWords}> [id]`,
  summary:
    'lists drafts; or shows, checks, submits, publishes, sends back or throws away the one with this id',
  outlivesReader: true,
  options: {
    type: typeOption,
    catalogue: { type: 'string', value: 'id', meaning: 'of list: only those in this catalogue' },
    state: {
      type: 'string',
      value: 'state',
      meaning: 'of list: draft, review, returned, scheduled or away',
    },
    note: { type: 'string', value: 'text', meaning: 'of submit and return: a word to the other' },
    at: { type: 'string', value: 'time', meaning: 'of schedule: 2026-12-01T08:00:00Z' },
  },
  complete: firstWord(() => Object.keys(draftActions)),
  run: (args, context) => {
    const [word = '', id] = args.words
    const action = draftActions[word]
    if (!action || (word === 'list') !== (id === undefined))
      throw new WrongCommand(`usage: draft list | draft <${draftWords.replace('list|', '')}> <id>`)
    const path = `/drafts/${typeOf(args)}/${encodeURIComponent(id ?? '')}`
    return linesOf(action(asking(part, context), path, args))
  },
})

// Versions.

/** Version of a record: the path of the record at the repository, the number, and the one to compare with. */
type Version = { readonly path: string; readonly number: number; readonly other: number }

async function listVersions(ask: Ask, { path }: Version) {
  const answer = await jsonOf(ask(`${path}/versions`))
  const outside = new Set(listed(valueAt(answer, 'changedOutside')))
  const versions = listed(valueAt(answer, 'versions'))
  const rows = versions.map((version) => {
    const number = valueAt(version, 'number')
    const changed = outside.has(number) ? 'changed outside of the platform before' : ''
    const facts = ['at', 'by', 'who', 'note'].map((name) => textAt(version, name) ?? '')
    return [String(number), ...facts, changed]
  })
  return [...columns(rows), amount(versions.length, 'version')]
}

async function compareVersions(ask: Ask, { path, number, other }: Version) {
  const query = `revisionNumber1=${other}&revisionNumber2=${number}`
  const answer = await jsonOf(ask(`${path}/diff?${query}`))
  const lines = (name: string, sign: string) =>
    listed(valueAt(answer, name)).map((line) => `${sign} ${textOr(line)?.trim() ?? ''}`)
  return [...lines('removed', '-'), ...lines('added', '+')]
}

/** Makes an action that goes back by a step of the API. */
const backBy =
  (name: string, outcome: string) =>
  async (ask: Ask, { path, number }: Version) => {
    const { status } = await ask(`${path}/versions/${number}/${name}`, { method: 'POST' })
    return status === 304 ? 'nothing to change' : outcome
  }

const versionActions: Actions<Version> = {
  list: listVersions,
  show: async (ask, { path, number }) => (await ask(`${path}/versions/${number}`, asTurtle)).text(),
  diff: compareVersions,
  undo: backBy('undo', 'taken back, as a new version; later changes stay'),
  restore: backBy('restore', 'gone back, as a new version'),
}

const versionUsage =
  'version list <id> | version <show|undo|restore> <id> <number> | version diff <id> <number> [other number]'

/** Command `version`: lists the versions of a record, shows or compares them, and goes back. */
export const versionCommand = (part: RecordsPart): Command => ({
  name: 'version',
  words: `<${Object.keys(versionActions).join('|')}> <id> [number] [other]`,
  summary:
    'lists the versions of a record, shows one, compares two (diff: with the one before when no other is named), or goes back (undo: of one, restore: to one)',
  outlivesReader: true,
  options: { type: typeOption },
  complete: firstWord(() => Object.keys(versionActions)),
  run: (args, context) => {
    const [word = '', id = '', number, other] = args.words
    const action = versionActions[word]
    const isNumber = (text = '') => /^[1-9]\d{0,8}$/.test(text)
    const isRight =
      word === 'list'
        ? number === undefined
        : isNumber(number) && (other === undefined || (word === 'diff' && isNumber(other)))
    if (!action || !isRight) throw new WrongCommand(`usage: ${versionUsage}`)
    const type = typeOf(args)
    const isBuiltIn = type === 'datasets' || type === 'catalogues'
    const version = {
      path: `${isBuiltIn ? '' : '/customresources'}/${type}/${encodeURIComponent(id)}`,
      number: Number(number),
      other: other === undefined ? Math.max(1, Number(number) - 1) : Number(other),
    }
    return linesOf(action(asking(part, context), version, args))
  },
})
