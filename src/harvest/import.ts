/** `npm run import`: the command that brings a DCAT document into a running platform. */

import { runScript, ScriptFailure, scriptKey } from '../config/script.ts'
import { Failure } from '../errors.ts'
import { openDocument } from '../rdf/open-document.ts'
import {
  importUsage,
  parseImportArguments,
  progressLine,
  summaryText,
} from './importing/command-line.ts'
import { importDump } from './importing/dump.ts'

// Exit codes: 0 all datasets imported; 1 some failed, it ended early or the document cannot be read; 2 wrong arguments; 130
// Ctrl-C.
await runScript(importUsage, async (argumentList, signal) => {
  const argumentValues = parseImportArguments(argumentList)
  const key = await scriptKey(argumentValues.key)
  const document = await openDocument({ ...argumentValues, stdin: process.stdin }, signal)
  const line = progressLine(process.stderr, Date.now)
  const options = { ...argumentValues, key, progress: line.show }
  const summary = await importDump(document, options, signal)
    .catch((error: unknown) => {
      throw withLocation(error, document.name)
    })
    .finally(line.clear)
  process.stdout.write(summaryText(summary))
  if (summary.endReason !== undefined && signal.aborted) return 130
  return summary.failed > 0 || summary.endReason !== undefined ? 1 : 0
})

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
