/**
 * What the view shows only when somebody asks for it, loaded together: files of their own would split what they share
 * with the first view into many small ones, which cost more than they save.
 */

export { Actions } from "./actions.tsx";
export { FileFacts } from "./file-facts.tsx";
export { LogTab } from "./log.tsx";
export { MessageTab } from "./message-tab.tsx";
export { Plan } from "./plan.tsx";
export { ProfileSettings } from "./profile.tsx";
export { ShareItems } from "./share-items.tsx";
