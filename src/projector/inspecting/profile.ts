/** `npm run profile`: checks a profile, shows what records become by it, writes its example queries. */

import { runProfileCommand } from './command.ts'

const { code, out, complaint } = await runProfileCommand(process.argv.slice(2))
process.stdout.write(out)
process.stderr.write(complaint)
process.exitCode = code
