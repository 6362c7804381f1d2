// Decides who may read a folder: its owner, and the accounts that the owner has named.

export function mayRead(folder, account) {
  return folder.owner === account || folder.readers.includes(account);
}
