module heed

go 1.26
