/** The tables of `docs/configuration.md`, generated so that they cannot disagree with what is read. */

import { limitNames, limitTable } from '../http/limits.ts'
import { harvestNumbers } from './harvest.ts'
import { metricsNumbers } from './metrics.ts'
import { facts, type EnvironmentSchema, type NumberRow } from './settings.ts'

/** The page with its tables written anew, each between `<!-- name -->` and `<!-- end -->`. */
export const configurationPage = (page: string, schema: EnvironmentSchema): string =>
  page.replaceAll(/(<!-- (\w+) -->\n)[^]*?(\n<!-- end -->)/g, (_, start, name, end) =>
    [start, tables[String(name)]?.(schema).join('\n'), end].join(''),
  )

const tables: Readonly<Record<string, (schema: EnvironmentSchema) => readonly string[]>> = {
  variables: ({ shape }) => [
    '| variable | default | meaning |',
    '|---|---|---|',
    ...Object.entries(shape).map(([name, field]) => {
      const known = facts.get(field)
      const text = known?.standard ?? known?.derived
      return `| \`${name}\` | ${text === undefined ? '–' : `\`${text}\``} | ${known?.meaning ?? ''} |`
    }),
  ],
  limits: () => [
    '| limit | default | of what | range |',
    '|---|--:|---|---|',
    ...limitNames.map((name) => {
      const { standard, least, most, meaning } = limitTable[name]
      return `| \`${name}\` | ${amount(name, standard)} | ${meaning} | ${least}..${most} |`
    }),
  ],
  harvesting: () => numbers(harvestNumbers),
  metrics: () => numbers(metricsNumbers),
}

const numbers = (rows: Readonly<Record<string, NumberRow>>): readonly string[] => [
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
