/** How large the source may be: lines per folder of `src/`, and the one home of what was once written several times. */

import type { SourceFile } from './import-rules.ts'

/**
 * Most lines of each folder, comments and blank lines included. Whoever deletes lowers the number in the same commit; raising
 * one needs a line in a decision record that says what the lines are for.
 */
const budgets: Readonly<Record<string, number>> = {
  '(root)': 1371,

  backup: 1245,

  program: 1154,

  client: 2900,

  config: 2056,

  console: 2917,

  harvest: 14037,

  http: 4703,

  jobs: 625,

  main: 5134,

  metrics: 7395,

  pipe: 7036,

  portal: 17130,

  profile: 2523,

  projector: 7266,

  rdf: 4870,

  repository: 13500,

  scheduler: 2148,

  search: 6426,

  'search-index': 16211,

  store: 7939,

  text: 1134,

  vocabularies: 2807,

  workers: 1771,
}

/** Lines that a folder may stay under its budget before the budget has to be lowered. */
const slack = 300

/** Code that belongs into one place, and the files outside of it that have not moved yet: the lists only ever get shorter. */
const packageFolders: readonly {
  readonly code: RegExp
  readonly home: string
  readonly others: readonly string[]
}[] = [
  {
    code: /new Worker\(/,
    home: 'workers/',
    others: [],
  },
  {
    code: /new (?:https?\.)?Agent\(/,
    home: 'client/',
    others: [],
  },
]

/** Exported names that more than one file exports, counted; it only ever gets smaller. */
export const mostSharedNames = 44

const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '(root)')

/** What breaks the budgets, as sentences. */
export function overBudget(files: readonly SourceFile[]): string[] {
  const lines = Map.groupBy(files, ({ path }) => folderOf(path))
  return [...lines].flatMap(([folder, own]) => {
    const sum = own.reduce((total, { text }) => total + text.split('\n').length - 1, 0)
    const budget = budgets[folder] ?? 0
    if (sum > budget) return [`${folder} has ${sum} lines of ${budget}`]
    return sum < budget - slack ? [`${folder} has ${sum} lines: lower its budget of ${budget}`] : []
  })
}

/** Code outside its home, as sentences. */
export function awayFromHome(files: readonly SourceFile[]): string[] {
  return packageFolders.flatMap(({ code, home, others }) =>
    files
      .filter(
        ({ path, text }) => !path.startsWith(home) && !others.includes(path) && code.test(text),
      )
      .map(({ path }) => `${path} has ${code.source}: its home is ${home}`),
  )
}

const exported =
  /(?:^|\n)export\s+(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|type|interface)\s+([\w$]+)/g

/** Names that several files export. */
export function sharedNames(files: readonly SourceFile[]): string[] {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(exported)].map(([, name = '']) => name),
  )
  return [...Map.groupBy(names, (name) => name)].flatMap(([name, all]) =>
    all.length > 1 ? [name] : [],
  )
}
