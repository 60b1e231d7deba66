/** The command line of the profile command. */

import { parseArgs } from 'node:util'
import { WrongUsage } from '../../errors.ts'
import { isIri } from '../../rdf/iri.ts'

export const usage = `npm run profile -- check <directory>
npm run profile -- show <record file> [--profile directory] [--base IRI] [--json]
npm run profile -- queries <directory> [--profile directory]

  check     whether the platform takes a profile: every problem with file and line, or a summary of its fields
  show      the documents that the records of a file become, and what is left out of them
            (Turtle or any other RDF format, by its suffix; a catalogue in the same file is that of the datasets)
  queries   writes example CONSTRUCT queries of a profile, one file per index

  --profile directory   default: the profile that ships with the platform
  --base IRI            default: http://localhost:8080/
  --json                one JSON array instead of text
`

export type Wish =
  | { readonly command: 'check'; readonly directory: string }
  | { readonly command: 'queries'; readonly directory: string; readonly profile?: string }
  | {
      readonly command: 'show'
      readonly file: string
      readonly profile?: string
      readonly base: string
      readonly json: boolean
    }

const options = {
  profile: { type: 'string' },
  base: { type: 'string' },
  json: { type: 'boolean' },
} as const

function parsed(argumentList: readonly string[]) {
  try {
    return parseArgs({ args: [...argumentList], options, allowPositionals: true })
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : 'unknown option', {
      cause: error,
    })
  }
}

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
export function wishOf(argumentList: readonly string[]): Wish {
  const { values, positionals } = parsed(argumentList)
  const [command, place, ...others] = positionals
  if (command !== 'check' && command !== 'show' && command !== 'queries')
    throw new WrongUsage(`check, show or queries? got ${command ?? 'nothing'}`)
  if (place === undefined) throw new WrongUsage(`${command} what? Give a file or directory`)
  if (others.length > 0) throw new WrongUsage(`one at a time, got also ${others.join(' ')}`)
  const { profile, base = 'http://localhost:8080/', json = false } = values
  if (!isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
  const chosen = profile === undefined ? {} : { profile }
  if (command === 'check') return { command, directory: place }
  if (command === 'queries') return { command, directory: place, ...chosen }
  return { command, file: place, base, json, ...chosen }
}
