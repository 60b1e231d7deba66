/** `npm run import`: the command that brings a DCAT document into a running platform. */
import { Failure, WrongUsage } from '../errors.ts'
import { scriptKey } from '../config/script.ts'
import { usage, parseImportArguments } from './importing/arguments.ts'
import { NoDestination } from './importing/cutting/parcels.ts'
import { systemClock } from './importing/import-client.ts'
import { importDump, NothingToImport } from './importing/dump.ts'
import { progressLine, report } from './importing/report.ts'
import { NoSource, openSource } from './importing/source.ts'

const interrupted = 130

/** The document is no RDF, or holds nothing to import; the message has document, line and column. */
class NotUnderstood extends Error {}

process.exitCode = await run(process.argv.slice(2))

/** Does what the command line asks; 0 when every dataset is in, 1 when one failed or there was none, 2 when the question was wrong. */
async function run(argumentList: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const line = progressLine(process.stderr, systemClock.now)
  try {
    const asked = parseImportArguments(argumentList)
    const key = await scriptKey(asked.key)
    const source = await openSource({ ...asked, stdin: process.stdin }, stop.signal)
    const options = { ...asked, key, clock: systemClock, progress: line.show }
    const summary = await importDump(source, options, stop.signal).catch((error: unknown) => {
      throw located(error, source.name)
    })
    line.clear()
    process.stdout.write(report(summary))
    if (summary.ended !== undefined && stop.signal.aborted) return interrupted
    return summary.failed > 0 || summary.ended !== undefined ? 1 : 0
  } catch (error) {
    line.clear()
    if (stop.signal.aborted) return interrupted
    return complain(error)
  }
}

/** A syntax error, said the way editors understand: document, line, column. */
function located(error: unknown, name: string): unknown {
  if (error instanceof NothingToImport)
    return new NotUnderstood(`${name}: ${error.message}`, { cause: error })
  if (!(error instanceof Failure)) return error
  const [{ line, column, detail } = { detail: '' }] = error.errors
  const place = [name, line, column].filter((part) => part !== undefined).join(':')
  const words = line === undefined ? `${error.kind}: ${error.detail}` : detail
  return new NotUnderstood(`${place}: ${words}`, { cause: error })
}

function complain(error: unknown): number {
  if (error instanceof WrongUsage || error instanceof NoSource || error instanceof NoDestination) {
    process.stderr.write(`${error.message}\n${error instanceof WrongUsage ? `\n${usage}` : ''}`)
    return 2
  }
  if (error instanceof NotUnderstood) {
    process.stderr.write(`${error.message}\nnothing was sent\n`)
    return 1
  }
  throw error
}
