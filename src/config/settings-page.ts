/** Page about the settings; its tables are generated, so that they cannot disagree with what is read. */

import { readFile } from 'node:fs/promises'
import { limitNames, limitTable } from '../http/limits.ts'
import { harvestNumbers, versionNumbers } from './harvest.ts'
import { metricsNumbers } from './metrics.ts'
import { facts, type NumberRow } from './settings.ts'
import { variables } from './variables.ts'

const pageFile = new URL('../../docs/configuration.md', import.meta.url)

/** Makes the text of `docs/configuration.md` with new tables, each between `<!-- name -->` and `<!-- end -->`. */
export const documentation = async (): Promise<string> =>
  (await readFile(pageFile, 'utf8')).replaceAll(
    /(<!-- (\w+) -->\n)[^]*?(\n<!-- end -->)/g,
    (_, start, name, end) => [start, tables[String(name)]?.().join('\n'), end].join(''),
  )

const tables: Readonly<Record<string, () => readonly string[]>> = {
  variables: () => [
    '| variable | default | meaning |',
    '|---|---|---|',
    ...Object.entries(variables.shape).map(([name, field]) => {
      const fieldFacts = facts.get(field)
      const text = fieldFacts?.defaultText ?? fieldFacts?.derived
      return `| \`${name}\` | ${text === undefined ? '–' : `\`${text}\``} | ${fieldFacts?.meaning ?? ''} |`
    }),
  ],
  limits: () => [
    '| limit | default | of what | range |',
    '|---|--:|---|---|',
    ...limitNames.map((name) => {
      const { defaultValue, minimum, maximum, meaning } = limitTable[name]
      return `| \`${name}\` | ${amount(name, defaultValue)} | ${meaning} | ${minimum}..${maximum} |`
    }),
  ],
  harvesting: () => numberTable(harvestNumbers),
  versions: () => numberTable(versionNumbers),
  metrics: () => numberTable(metricsNumbers),
}

const numberTable = (rows: Readonly<Record<string, NumberRow>>): readonly string[] => [
  '| number | default | meaning |',
  '|---|--:|---|',
  ...Object.entries(rows).map(
    ([name, [standard, , , meaning]]) => `| \`${name}\` | ${amount(name, standard)} | ${meaning} |`,
  ),
]

function amount(name: string, value: number): string {
  if (name.endsWith('Bytes') && value % 2 ** 20 === 0) return `${value / 2 ** 20} MB`
  if (name.endsWith('Bytes') && value % 2 ** 10 === 0) return `${value / 2 ** 10} KB`
  return name.endsWith('Ms') ? `${value / 1000} s` : String(value)
}

/** Text with a line for each variable: name, default, meaning. */
export const variableList = (): string =>
  Object.entries(variables.shape)
    .map(([name, field]) => {
      const { defaultText, derived, meaning = '' } = facts.get(field) ?? {}
      const text = defaultText ?? derived
      return `${name}${text === undefined ? '' : ` (${text})`}\n  ${meaning}\n`
    })
    .join('')
