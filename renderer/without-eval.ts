import { config } from 'zod'

// Zod tries to write code where it can (`new Function`), which the page's content policy refuses and reports.
config({ jitless: true })
