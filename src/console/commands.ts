/** The commands of the services that run in this process. */

import { indexCommands } from './commands/indexing.ts'
import { launchCommand } from './commands/launch.ts'
import { metricsCommands, searchCommands, statusCommand } from './commands/others.ts'
import { pipeCommands } from './commands/pipes.ts'
import { recordCommands } from './commands/records.ts'
import { runCommands } from './commands/runs.ts'
import type { Parts } from './parts.ts'
import { table, type Table } from './table.ts'

/** `now` is milliseconds of a clock. */
export function commandsOf(parts: Parts, now: () => number): Table {
  const { scheduler, repository, search, metrics, status } = parts
  const ground = scheduler && { scheduler, now }
  return table([
    ...((scheduler ?? repository) ? [launchCommand({ scheduler, repository, now })] : []),
    ...(ground ? [...pipeCommands(ground), ...runCommands(ground)] : []),
    ...(repository ? [...indexCommands(repository, now), ...recordCommands(repository, now)] : []),
    ...(search ? searchCommands(search) : []),
    ...(metrics ? metricsCommands(metrics) : []),
    statusCommand(status),
  ])
}
